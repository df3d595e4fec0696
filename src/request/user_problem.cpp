// The problems of requests with user-defined function sets.
#include <cstdint>
#include <string>
#include <utility>

#include "request/function_set.hpp"

namespace adcl::runtime {
namespace {

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

std::unique_ptr<Problem> user_problem(const FunctionSet& set, const data::Parts& parts, mpi::Context& context) {
  return std::make_unique<UserProblem>(set.name, parts, context.machine());
}

}  // namespace adcl::runtime
