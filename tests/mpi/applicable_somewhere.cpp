// ranks: 1 2 3 4
// A codelet that is not applicable on one rank is not a candidate on any rank.
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "request/request.hpp"
#include "support/suite.hpp"

namespace adcl::test {
namespace {

bool refuses = false;  ///< this rank excludes the second codelet

class Nothing final : public Plan {
 public:
  void start(const Buffers& /*buffers*/) override {}
  bool test() override { return true; }
  void wait() override {}
};

std::optional<std::string> always(const Problem& /*problem*/) { return std::nullopt; }
std::optional<std::string> applicable_unless_refused(const Problem& /*problem*/) {
  return refuses ? std::optional<std::string>("it is refused here") : std::nullopt;
}
std::size_t no_bytes(const Problem& /*problem*/) { return 0; }
PlanPointer make_plan(const Problem& /*problem*/, mpi::Context& /*context*/, const Buffers& /*buffers*/) {
  return std::make_unique<Nothing>();
}

std::shared_ptr<runtime::FunctionSetObject> three_codelets() {
  auto object = std::make_shared<runtime::FunctionSetObject>();
  object->set.name = "three";
  for (const char* name : {"first", "second", "third"}) {
    Codelet& row = object->set.codelets.emplace_back();
    row.name = name;
    row.algorithm = {row.name == "second" ? applicable_unless_refused : always, no_bytes, make_plan, nullptr};
  }
  object->set.problem = [](const data::Parts& parts, mpi::Context& context) {
    FunctionSet set;
    set.name = "three";
    return runtime::user_problem(set, parts, context);
  };
  object->siblings = {"three"};
  return object;
}

void is_excluded_everywhere(Suite& suite, const std::shared_ptr<mpi::Context>& context, int victim) {
  suite.step(text("rank ", victim, " excludes a codelet"));
  refuses = suite.rank() == victim;
  runtime::RequestParts parts;
  parts.set = three_codelets();
  parts.fields.resize(1);
  OptionValues values(runtime::option_table());
  values.set(runtime::find_option("ADCL_SEARCH"), "brute_force");
  values.set(runtime::find_option("ADCL_HISTORY"), "off");
  const auto request = runtime::Request::create(
      context, std::move(parts), std::make_shared<runtime::Settings>(runtime::Settings::from(std::move(values))));
  const auto& candidates = request->group().subject().candidates;
  suite.expect(candidates.size() == 2 && candidates.front().name == "first" && candidates.back().name == "third",
               text(candidates.size(), " candidates"));
  std::array<int, 2> bounds = {static_cast<int>(candidates.size()), -static_cast<int>(candidates.size())};
  MPI_Allreduce(MPI_IN_PLACE, bounds.data(), 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (bounds[0] != -bounds[1]) {
    return;  // the ranks would wait for each other
  }
  for (int i = 0; i < 30; ++i) {
    request->start();
    suite.expect(request->current_codelet() != "second", "it runs");
  }
  suite.expect(request->decided(), "nothing is decided");
}

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) {
  return adcl::test::run_suite(argc, argv, [](adcl::test::Suite& suite) {
    const auto context = adcl::mpi::Context::of(MPI_COMM_WORLD);
    for (int victim = 0; victim < suite.size(); ++victim) {
      adcl::test::is_excluded_everywhere(suite, context, victim);
    }
  });
}
