// ranks: 1 2 3
// A call of ADCL_Request_progress at the nesting level of a loop reaches codelets with this progress depth or a lower
// one, and only between init and wait.
#include <memory>
#include <optional>
#include <string>

#include "core/error.hpp"
#include "request/request.hpp"
#include "support/suite.hpp"

namespace adcl::test {
namespace {

int tests = 0;

class Tested final : public Plan {
 public:
  void start(const Buffers& /*buffers*/) override {}
  bool test() override {
    ++tests;
    return false;
  }
  void wait() override {}
};

std::shared_ptr<runtime::FunctionSetObject> codelet_of_depth(int depth) {
  Codelet row;
  row.name = text("depth ", depth);
  row.capabilities.nonblocking = true;
  row.capabilities.progress_depth = depth;
  row.algorithm = {[](const Problem& /*problem*/) { return std::optional<std::string>(); },
                   [](const Problem& /*problem*/) { return std::size_t{0}; },
                   [](const Problem& /*problem*/, mpi::Context& /*context*/,
                      const Buffers& /*buffers*/) -> PlanPointer { return std::make_unique<Tested>(); },
                   nullptr};
  auto object = std::make_shared<runtime::FunctionSetObject>();
  object->set.name = "tested";
  object->set.codelets = {row};
  object->set.problem = [](const data::Parts& parts, mpi::Context& context) {
    FunctionSet set;
    set.name = "tested";
    return runtime::user_problem(set, parts, context);
  };
  object->siblings = {"tested"};
  return object;
}

/// The number of calls at level \p called that reach the codelet, out of one before, two during, and one after an
/// operation.
int calls_reached(const std::shared_ptr<mpi::Context>& context, int depth, int called) {
  runtime::RequestParts parts;
  parts.set = codelet_of_depth(depth);
  parts.fields.resize(1);
  const auto request = runtime::Request::create(
      context, std::move(parts),
      std::make_shared<runtime::Settings>(runtime::Settings::from(OptionValues(runtime::option_table()))));
  tests = 0;
  request->progress(called);
  request->init();
  request->progress(called);
  request->progress(called);
  request->wait();
  request->progress(called);
  return tests;
}

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) {
  return adcl::test::run_suite(argc, argv, [](adcl::test::Suite& suite) {
    const auto context = adcl::mpi::Context::of(MPI_COMM_WORLD);
    for (int depth = 0; depth < 3; ++depth) {
      for (int called = 0; called < 4; ++called) {
        const int reached = adcl::test::calls_reached(context, depth, called);
        suite.expect(reached == (called >= depth ? 2 : 0),
                     adcl::text(reached, " calls at level ", called, " reach a codelet of depth ", depth));
      }
    }
  });
}
