// ranks: 1 2 3 4 5 7 8
// valgrind: 2
// large: 16
// timeout: 120
// not smpi: it has no distributed graphs
// Every codelet of the neighbourhood against random graphs: no edges, several edges between two ranks, edges to
// oneself, one-way edges, empty messages.
#include "support/scenario.hpp"

namespace adcl::test {
namespace {

void one_problem(Suite& suite, std::uint64_t seed) {
  Random random(seed);
  Jitter jitter(suite.rank());
  const std::uint64_t inner_seed = random.next();
  on_some_processes(random, [&](MPI_Comm comm, int size) {
    Random inner(inner_seed);
    const TopologyModel model = random_graph_topology(inner, size);
    Topology topology(model, comm);
    Request request(topology, random_problem(inner, model, inner.one_in(6)));
    if (inner.one_in(2)) {
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
    suite.repeat("graphs", 2, [&](std::uint64_t seed) { adcl::test::one_problem(suite, seed); });
  });
}
