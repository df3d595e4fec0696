// ranks: 1 2 3 5
// large: 8 17
// A rank's view of the nodes of a communicator agrees with a map of all nodes, for MPI's nodes and for random nodes,
// also on communicators of some ranks in another order.
// The simulator has 16 nodes, so with 17 ranks one node has two ranks.
#include "support/nodes.hpp"
#include "core/error.hpp"
#include "mpi/check.hpp"
#include "mpi/context.hpp"
#include "support/random.hpp"
#include "support/suite.hpp"

namespace adcl::test {
namespace {

std::string described(const Nodes& nodes) {
  std::string ranks;
  for (const int rank : nodes.ranks) {
    ranks += text(" ", rank);
  }
  return text(nodes.count, " nodes, the smallest of ", nodes.smallest, " ranks, hash ", nodes.hash, ", own node ",
              nodes.own, " with ranks", ranks);
}

std::vector<int> gathered(int label, MPI_Comm comm) {
  int size = 0;
  mpi::check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  std::vector<int> all(static_cast<std::size_t>(size));
  mpi::check(MPI_Allgather(&label, 1, MPI_INT, all.data(), 1, MPI_INT, comm), "MPI_Allgather");
  return all;
}

/// The lowest rank that shares memory with this rank.
int node_by_mpi(MPI_Comm comm) {
  int lowest = 0;
  mpi::check(MPI_Comm_rank(comm, &lowest), "MPI_Comm_rank");
  MPI_Comm node = MPI_COMM_NULL;
  mpi::check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, node), "MPI_Allreduce");
  mpi::check(MPI_Comm_free(&node), "MPI_Comm_free");
  return lowest;
}

void expect_nodes(Suite& suite, mpi::Context& context, const std::vector<int>& map, const char* which) {
  const Nodes& got = context.machine().nodes;
  const Nodes wanted = nodes_seen(map, context.rank());
  suite.expect(got == wanted, text(which, ": got ", described(got), "; expected ", described(wanted)));
  for (int rank = 0; rank < context.size(); ++rank) {
    suite.expect(
        got.hold(rank) == (map[static_cast<std::size_t>(rank)] == map[static_cast<std::size_t>(context.rank())]),
        text(which, ": whether rank ", rank, " is near"));
  }
}

/// A communicator of some ranks in a random order.
void one_communicator(Suite& suite, std::uint64_t seed) {
  Random random(seed);
  std::vector<int> keys;
  std::vector<int> colors;
  std::vector<int> labels;
  const int last_node = random.between(0, suite.size() - 1);
  for (int rank = 0; rank < suite.size(); ++rank) {
    keys.push_back(random.between(0, suite.size()));
    colors.push_back(random.between(0, 1));
    labels.push_back(random.between(0, last_node));
  }
  const auto me = static_cast<std::size_t>(suite.rank());
  MPI_Comm comm = MPI_COMM_NULL;
  suite.step("a communicator of some ranks");
  mpi::check(MPI_Comm_split(MPI_COMM_WORLD, colors[me], keys[me], &comm), "MPI_Comm_split");
  {
    const auto context = mpi::Context::of(comm);
    expect_nodes(suite, *context, gathered(node_by_mpi(comm), comm), "nodes of MPI");
    context->set_nodes(labels[me]);
    expect_nodes(suite, *context, gathered(labels[me], comm), "given nodes");
  }
  mpi::check(MPI_Comm_free(&comm), "MPI_Comm_free");
}

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) {
  return adcl::test::run_suite(argc, argv, [](adcl::test::Suite& suite) {
    suite.repeat("nodes", 2.0, [&](std::uint64_t seed) { adcl::test::one_communicator(suite, seed); });
  });
}
