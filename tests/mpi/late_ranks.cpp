// ranks: 1 2 3 4 5
// timeout: 120
// One rank is late at every operation, one after the other is that rank, while the others do what a codelet lets them:
// go on to the next operation with new data in the same arrays. Every halo is right for all that: nobody writes into
// an array whose owner is not there yet, and nobody has new data taken for old ones.
#include <unistd.h>

#include "support/scenario.hpp"

namespace adcl::test {
namespace {

constexpr int operations = 5;

/// A chain: nothing comes back to the first rank, which can be ahead as far as a codelet lets it.
TopologyModel chain(int size) {
  TopologyModel topology;
  topology.kind = Kind::graph;
  topology.size = size;
  topology.destinations.resize(static_cast<std::size_t>(size));
  topology.sources.resize(static_cast<std::size_t>(size));
  for (int rank = 0; rank + 1 < size; ++rank) {
    topology.destinations[static_cast<std::size_t>(rank)].push_back(rank + 1);
    topology.sources[static_cast<std::size_t>(rank) + 1].push_back(rank);
  }
  return topology;
}

TopologyModel topology_of(Random& random, int size) {
#ifndef SMPI_H  // It has no distributed graphs.
  if (random.one_in(2)) {
    return random.one_in(2) ? chain(size) : random_graph_topology(random, size);
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
      // Even rounds have the same arrays.
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

void one_problem(Suite& suite, std::uint64_t seed) {
  Random random(seed);
  const TopologyModel model = topology_of(random, suite.size());
  Topology topology(model, MPI_COMM_WORLD);
  Request request(topology, random_problem(random, model, random.one_in(3)));
  auto rows = candidates(suite, request);
  random.shuffle(rows);
  for (const Codelet* row : rows) {
    if (row != rows.front() && !suite.has_time(topology.comm())) {
      return;
    }
    one_codelet(suite, request, *row);
  }
}

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) {
  return adcl::test::run_suite(argc, argv, [](adcl::test::Suite& suite) {
    suite.repeat("problems", 4, [&](std::uint64_t seed) { adcl::test::one_problem(suite, seed); });
  });
}
