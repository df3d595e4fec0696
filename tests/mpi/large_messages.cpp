// ranks: 1
// Packed messages may be larger than MPI_Pack can count if the library itself packs them. No array is allocated.
#include <mpi.h>

#include <memory>
#include <string>
#include <utility>

#include "codelets/neighborhood/messages.hpp"
#include "core/text.hpp"
#include "mpi/datatype.hpp"
#include "support/neighborhoods.hpp"
#include "support/suite.hpp"

namespace adcl::test {
namespace {

/// A ring of one process, with a row of 200 million doubles for each neighbor: 1.6 GB, more than half of INT_MAX.
std::unique_ptr<HaloProblem> large_problem(const mpi::Element& element) {
  const TopologyModel topology = grid_topology(Kind::cartesian, {1, 1}, {1, 0});
  auto problems = problems_of(grid_problem(topology, {{4}, {200'000'000}}, {{1, 0}, {1, 0}}));
  problems.front()->fields.front().send.element = &element;
  problems.front()->fields.front().receive.element = &element;
  return std::move(problems.front());
}

void packs_large_messages(Suite& suite) {
  const mpi::Element element(MPI_DOUBLE, 0);
  const auto problem = large_problem(element);
  suite.expect(problem->sends.size() == 2, text(problem->sends.size(), " messages"));
  const auto refusal = [&problem] { return codelets::PackedMessages::applicable(*problem).value_or(""); };
  suite.step("the arrays of all ranks have the same layout");
  suite.expect(refusal().empty(), "it is not applicable: " + refusal());
  suite.step("the arrays of the ranks have different layouts");
  problem->uniform_layout = false;
  suite.expect(!refusal().empty(), "MPI packs what is received");
  problem->receives.clear();
  suite.expect(refusal().empty(), "MPI packs what is sent: " + refusal());
}

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) {
  return adcl::test::run_suite(argc, argv, [](adcl::test::Suite& suite) { adcl::test::packs_large_messages(suite); });
}
