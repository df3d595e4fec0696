#include "request/function_set.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "mpi/agreement.hpp"
#include "request/user_call.hpp"

namespace adcl::runtime {
namespace {

Codelet row_of(const Function& function) {
  Codelet row;
  row.name = function.name;
  row.attributes = function.values;
  row.capabilities.nonblocking = function.wait != nullptr;
  row.source = "written by the user";
  return row;
}

class UserProblem final : public Problem {
 public:
  UserProblem(std::string set, data::Parts parts, const Machine& machine)
      : Problem(&machine), set_(std::move(set)), parts_(std::move(parts)) {}

  [[nodiscard]] Statement state() const override {
    Statement statement;
    statement.common = Hash().add("user").add(parts_.fields.size()).value();
    statement.common_things = ", or the number of fields";
    return statement;
  }
  void settle(const Settlement& /*settlement*/) override {}
  void verify(mpi::Context& /*context*/, const std::array<std::uint64_t, 2>& /*balances*/) const override {}

 protected:
  [[nodiscard]] const char* pattern() const override { return "user"; }
  void identify(Hash& hash) const override {
    hash.add(set_).add(parts_.fields.size());
    for (const data::Field& field : parts_.fields) {
      for (const data::Vector* vector : {field.send_vector.get(), field.receive_vector.get()}) {
        if (vector != nullptr) {
          hash.add_all(vector->grid().dims).add(static_cast<std::uint64_t>(vector->nc()));
          hash.add(vector->element().layout_hash());
        }
      }
    }
    if (parts_.topology != nullptr) {
      parts_.topology->neighborhood.identify(hash);
    }
  }
  void add_features(Features& features) const override {
    features.push_back({"function_set", set_, "user-defined " + set_});
    double bytes = 0.0;
    for (const data::Field& field : parts_.fields) {
      if (const data::Vector* vector = field.send_vector.get()) {
        bytes += static_cast<double>(vector->grid().points()) * static_cast<double>(vector->element().size_bytes());
      }
    }
    features.push_back({"array_bytes", bytes});
  }

 private:
  std::string set_;
  data::Parts parts_;
};

}  // namespace

std::shared_ptr<FunctionSetObject> function_set(std::vector<Function> functions, const std::string& name) {
  require(functions.size() <= mpi::Ballot::max_codelets, Code::argument, "a function set has at most ",
          mpi::Ballot::max_codelets, " codelets, not ", functions.size());
  auto object = std::make_shared<FunctionSetObject>();
  object->set.name = name;
  object->set.summary = "written by the user";
  std::set<std::string> names;
  const auto& attributes = functions.front().attributes;
  for (const Function& function : functions) {
    require(names.insert(function.name).second, Code::argument, "two functions are named '", function.name,
            "'; give each function of a set its own name");
    require(
        function.attributes == attributes, Code::argument, "function '", function.name,
        "' has another attribute set than the first function; create all functions of a set with one attribute set");
    object->set.codelets.push_back(row_of(function));
  }
  if (attributes != nullptr) {
    object->set.attributes = *attributes;
  }
  object->functions = std::move(functions);
  return object;
}

std::shared_ptr<FunctionSetObject> single_function_set(Function::Work start, Function::Work wait,
                                                       const std::shared_ptr<const AttributeSet>& attributes,
                                                       const std::string& name,
                                                       const std::vector<std::vector<int>>& excluded) {
  double combinations = 1.0;
  for (const Attribute& attribute : *attributes) {
    combinations *= static_cast<double>(attribute.values.size());
  }
  require(combinations - static_cast<double>(excluded.size()) <= static_cast<double>(mpi::Ballot::max_codelets),
          Code::argument, "the attribute set has ", combinations, " combinations; a function set has at most ",
          mpi::Ballot::max_codelets, " codelets");
  std::vector<Function> functions = {{start, wait, attributes, {}, name}};
  for (const Attribute& attribute : *attributes) {  // the last attribute varies fastest
    std::vector<Function> longer;
    for (const Function& function : functions) {
      for (const auto& value : attribute.values) {
        longer.push_back(function);
        longer.back().values.push_back(value.value);
        longer.back().name += "_" + value.name;
      }
    }
    functions = std::move(longer);
  }
  std::erase_if(functions, [&](const Function& function) {
    return std::ranges::find(excluded, function.values) != excluded.end();
  });
  require(!functions.empty(), Code::argument, "all combinations of attribute values are excluded; leave at least one");
  return function_set(std::move(functions), name);
}

std::uint64_t codelets_hash(const FunctionSetObject& object) {
  Hash hash;
  for (const Attribute& attribute : object.set.attributes) {
    hash.add(attribute.name);
    for (const auto& value : attribute.values) {
      hash.add(static_cast<std::uint64_t>(value.value)).add(value.name);
    }
  }
  for (const Codelet& codelet : object.set.codelets) {
    hash.add(codelet.name).add_all(codelet.attributes);
    hash.add(static_cast<std::uint64_t>(codelet.capabilities.nonblocking));
  }
  return hash.add(static_cast<std::uint64_t>(object.sharing.load())).value();
}

history::Similarity similarity_of(const FunctionSetObject& object) {
  const FunctionSetObject::Distance distance = object.similarity;
  if (distance == nullptr) {
    return nullptr;
  }
  return [distance](const auto& names, const auto& here, const auto& there) {
    std::vector<const char*> words;
    for (const std::string& name : names) {
      words.push_back(name.c_str());
    }
    try {
      return distance(static_cast<int>(names.size()), words.data(), here.data(), there.data());
    } catch (...) {
      throw Error(thrown_failure("the function of ADCL_Fnctset_set_similarity"));
    }
  };
}

std::unique_ptr<Problem> user_problem(const FunctionSet& set, const data::Parts& parts, mpi::Context& context) {
  return std::make_unique<UserProblem>(set.name, parts, context.machine());
}

}  // namespace adcl::runtime
