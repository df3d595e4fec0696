// Compares an exchange whose messages include the corners with the equivalent exchange with diagonal neighbors.
#include <gtest/gtest.h>

#include <tuple>

#include "codelets/neighborhood/two_sided/corner_propagation.hpp"
#include "support/neighborhoods.hpp"

namespace adcl::test {
namespace {

constexpr std::uint64_t seed = 11;

TEST(Corners, AreExchangedWithTheSameSetting) {
  Random random(seed);
  int folded_problems = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int size = random.between(1, 8);
    const TopologyModel topology = random_grid_topology(random, size, Kind::extended, random.between(1, 3));
    const ProblemModel model = random_problem(random, topology, false);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", trial " + std::to_string(trial) + ": " + model.describe());
    for (const auto& problem : problems_of(model)) {
      problem->uniform_layout = random.one_in(2);
      problem->tag_base = random.between(0, 1000);
      problem->topology_id = random.between(0, 1000);
      problem->request_id = random.between(0, 1000);
      if (codelets::without_propagation(*problem)) {
        continue;
      }
      const auto folded = codelets::fold_corners(*problem);
      const auto agreed = [](const HaloProblem& of) {
        return std::tuple(of.uniform_layout, of.tag_base, of.tag_span, of.topology_id, of.request_id, of.nodes,
                          of.fields.size(), of.fields.front().same_buffer, of.fields.front().send.widths.left,
                          of.fields.front().receive.widths.right);
      };
      EXPECT_EQ(agreed(*folded), agreed(*problem));
      EXPECT_LE(folded->sends.size(), problem->sends.size());
      ++folded_problems;
    }
  }
  EXPECT_GT(folded_problems, 100);
}

}  // namespace
}  // namespace adcl::test
