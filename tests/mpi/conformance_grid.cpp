// ranks: 1 2 3 4 5 7 8
// valgrind: 2
// large: 16
// timeout: 120
// Every codelet of the neighbourhood against random Cartesian, extended and generic problems.
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

void one_problem(Suite& suite, std::uint64_t seed) {
  Random random(seed);
  Jitter jitter(suite.rank());
  const std::uint64_t inner_seed = random.next();
  on_some_processes(random, [&](MPI_Comm comm, int size) {
    Random inner(inner_seed);
    const TopologyModel model = random_topology(inner, size);
    const bool long_messages = model.ndims <= 2 && inner.one_in(4);
    Topology topology(model, comm);
    Request request(topology, random_problem(inner, model, long_messages));
    if (long_messages || inner.one_in(2)) {
      one_by_one(suite, request, inner, jitter);
    } else {
      interleaved(suite, request, inner, jitter);
    }
  });
}

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) {
  return adcl::test::run_suite(argc, argv, [](adcl::test::Suite& suite) {
    suite.repeat("grids", 3, [&](std::uint64_t seed) { adcl::test::one_problem(suite, seed); });
  });
}
