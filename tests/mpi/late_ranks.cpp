// ranks: 1 2 3 4
// large: 5
// timeout: 120
// At every operation one rank is late, each rank in turn, while the other ranks run ahead as far as the codelet allows:
// to the next operation with new data in the same arrays. Every halo must be correct: no rank writes into an array
// whose owner has not started, and no rank reads new data in place of old data.
#include <unistd.h>

#include "support/scenario.hpp"

namespace adcl::test {
namespace {

constexpr int operations = 5;

/// Blocks in a periodic line, or in a line with data in one direction: the first rank receives nothing, so it can run
/// ahead as far as the codelet allows.
ProblemModel line(int size, bool one_way) {
  TopologyModel topology = grid_topology(Kind::cartesian, {size}, {one_way ? 0 : 1});
  if (one_way) {
    topology.kind = Kind::generic;
    topology.flow = Flow::left_to_right;
    for (int rank = 0; rank < size; ++rank) {
      topology.left.push_back({rank - 1});
      topology.right.push_back({rank + 1 < size ? rank + 1 : -1});
    }
  }
  constexpr int points = 700;
  const std::vector<std::vector<int>> blocks(1, std::vector<int>(static_cast<std::size_t>(size), points));
  return grid_problem(topology, blocks, {{points}, {points}});
}

TopologyModel topology_of(Random& random, int size) {
#ifndef SMPI_H  // SMPI has no distributed graphs.
  if (random.one_in(2)) {
    return random_graph_topology(random, size);
  }
#endif
  return random_grid_topology(random, size, random.one_in(2) ? Kind::cartesian : Kind::extended, random.between(1, 2));
}

void one_codelet(Suite& suite, Request& request, const Codelet& codelet) {
  Exchange exchange(suite, request, codelet);
  const int size = request.topology().neighborhood().size;
  for (int late = 0; late < size; ++late) {
    for (int i = 0; i < operations; ++i) {
      if (request.topology().rank() == late) {
        usleep(1000);
      }
      // All even rounds use the same arrays.
      const int round = 2 * (late * operations + i);
      if (i % 2 == 0) {
        exchange.run(round);
      } else {
        exchange.start(round);
        exchange.wait();
        exchange.verify();
      }
    }
  }
}

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) {
  using namespace adcl::test;
  return run_suite(argc, argv, [](Suite& suite) {
    Random order(1);
    each_codelet(suite, line(suite.size(), false), order, true, one_codelet);
    each_codelet(suite, line(suite.size(), true), order, true, one_codelet);
    suite.repeat("problems", 3, [&](std::uint64_t seed) {
      Random random(seed);
      const TopologyModel topology = topology_of(random, suite.size());
      each_codelet(suite, random_problem(random, topology, random.one_in(3)), random, false, one_codelet);
    });
  });
}
