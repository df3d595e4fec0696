// ranks: 1 2 3 4 7
// set: neighborhood
// valgrind: 2
// large: 5 8 16
// small /dev/shm: 2 3
// timeout: 120
// not smpi: it has no distributed graphs
// Every codelet of the neighborhood on random graphs: no edges, several edges between two ranks, edges to oneself,
// one-way edges, empty messages.
#include "support/scenario.hpp"

namespace adcl::test {
namespace {

Subject graph(Random& random, int size) {
  const TopologyModel topology = random_graph_topology(random, size);
  return {topology, {random_problem(random, topology, random.one_in(6))}, false};
}

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) {
  return adcl::test::run_suite(argc, argv, [](adcl::test::Suite& suite) {
    suite.repeat("graphs", 2, [&](std::uint64_t seed) { adcl::test::any_scenario(suite, seed, adcl::test::graph); });
  });
}
