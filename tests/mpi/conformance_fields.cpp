// ranks: 1 2 3 4
// large: 5 7
// set: neighborhood
// valgrind: 2
// small /dev/shm: 2 3
// timeout: 120
// Every codelet of the neighborhood on random problems of several fields with any extents, halo widths, datatypes and
// storage orders, on Cartesian, extended, generic and graph topologies.
#include "support/many_datatypes.hpp"
#include "support/scenario.hpp"

namespace adcl::test {
namespace {

TopologyModel random_topology(Random& random, int size) {
#ifdef SMPI_H
  const int first = 1;  // SMPI has no distributed graphs.
#else
  const int first = 0;
#endif
  const int ndims = random.between(1, 3);
  switch (random.between(first, 5)) {
    case 0:
      return random_graph_topology(random, size);
    case 1:
      return random_generic_topology(random, size, ndims);
    case 2:
    case 3:
      return random_grid_topology(random, size, Kind::extended, ndims);
    default:
      return random_grid_topology(random, size, Kind::cartesian, ndims);
  }
}

/// Sometimes makes all fields equal, as in most programs; then their messages have one datatype.
std::vector<ProblemModel> random_fields(Random& random, const TopologyModel& topology, bool long_messages) {
  std::vector<ProblemModel> fields;
  const int n_fields = random.between(2, 5);
  const bool alike = random.one_in(3);
  for (int f = 0; f < n_fields; ++f) {
    const bool copied = f > 0 && alike;
    fields.push_back(copied ? fields.front() : random_problem(random, topology, long_messages && f == 0));
  }
  return fields;
}

Subject several_fields(Random& random, int size) {
  const TopologyModel topology = random_topology(random, size);
  const bool long_messages = topology.ndims <= 2 && random.one_in(4);
  return {topology, random_fields(random, topology, long_messages), long_messages};
}

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) {
  return adcl::test::run_suite(argc, argv, [](adcl::test::Suite& suite) {
    const adcl::test::ManyDatatypes others(suite.seed() % 2 == 0 ? 0 : 3000);
    suite.repeat("fields", 3,
                 [&](std::uint64_t seed) { adcl::test::any_scenario(suite, seed, adcl::test::several_fields); });
  });
}
