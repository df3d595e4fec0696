// ranks: 1 2 3 4 8
// set: neighborhood
// valgrind: 2
// large: 5 7 16
// small /dev/shm: 2 3
// timeout: 120
// Every codelet of the neighborhood on random Cartesian, extended and generic problems.
#include "support/scenario.hpp"

namespace adcl::test {
namespace {

TopologyModel random_topology(Random& random, int size) {
  const int ndims = random.between(1, 4);
  switch (random.between(0, 4)) {
    case 0:
      return random_generic_topology(random, size, ndims);
    case 1:
      return random_grid_topology(random, size, Kind::extended, ndims);
    default:
      return random_grid_topology(random, size, Kind::cartesian, ndims);
  }
}

Subject grid(Random& random, int size) {
  const TopologyModel topology = random_topology(random, size);
  const bool long_messages = topology.ndims <= 2 && random.one_in(4);
  return {topology, {random_problem(random, topology, long_messages)}, long_messages};
}

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) {
  return adcl::test::run_suite(argc, argv, [](adcl::test::Suite& suite) {
    suite.repeat("grids", 3, [&](std::uint64_t seed) { adcl::test::any_scenario(suite, seed, adcl::test::grid); });
  });
}
