#include "codelets/neighborhood/collective/neighbor_graph.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "codelets/neighborhood/cache_keys.hpp"
#include "mpi/check.hpp"
#include "mpi/together.hpp"
#include "mpi/topology.hpp"

namespace adcl::codelets {
namespace {

/// Returns a communicator with the processes of \p comm but no topology, or null if \p comm has no topology. Open MPI 5
/// (seen with 5.0.11) treats a distributed graph created from a Cartesian communicator as a grid, and reads beyond the
/// arguments of neighborhood collectives. Collective.
std::unique_ptr<mpi::Communicator> without_topology(MPI_Comm comm) {
  int kind = MPI_UNDEFINED;
  mpi::run_collectively(comm, [&] { kind = mpi::topology_kind(comm); });
  if (kind == MPI_UNDEFINED) {
    return nullptr;
  }
  return mpi::create_collectively(comm, [comm] {
    MPI_Comm plain = MPI_COMM_NULL;
    mpi::check(MPI_Comm_split(comm, 0, 0, &plain), "MPI_Comm_split");
    return plain;
  });
}

}  // namespace

std::optional<std::string> no_neighbor_collectives() {
#ifdef SMPI_H
  return "SimGrid SMPI (3.32) has no distributed graphs and no neighborhood collectives with one datatype per neighbor";
#else
  return std::nullopt;
#endif
}

TransfersByNeighbor by_neighbor(const HaloProblem& problem, const std::vector<Transfer>& transfers) {
  const std::vector<int> neighbors = neighbors_of(problem);
  TransfersByNeighbor result(neighbors.size());
  std::size_t e = 0;
  for (std::size_t i = 0; i < transfers.size(); ++i) {  // sorted by (peer, tag)
    while (neighbors[e] != transfers[i].peer) {
      ++e;
    }
    result[e].push_back(i);
  }
  return result;
}

std::shared_ptr<mpi::Communicator> neighbor_graph(const HaloProblem& problem, mpi::Context& context) {
  return context.cached_communicator(communicator_key(problem, CommunicatorKind::graph), [&] {
    std::vector<int> neighbors;
    mpi::run_collectively(context.comm(), [&] { neighbors = neighbors_of(problem); });
    const auto plain = without_topology(context.comm());
    const int degree = static_cast<int>(neighbors.size());
    MPI_Comm graph = MPI_COMM_NULL;
    mpi::check(MPI_Dist_graph_create_adjacent(plain != nullptr ? plain->get() : context.comm(), degree,
                                              neighbors.data(), MPI_UNWEIGHTED, degree, neighbors.data(),
                                              MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph),
               "MPI_Dist_graph_create_adjacent");
    return graph;
  });
}

NeighborTypes::NeighborTypes(const HaloProblem& problem, MPI_Comm comm, const Buffers& buffers)
    : bound_(problem.several_fields()) {
  mpi::run_collectively(comm, [&] {
    sends_ = side_of(problem, Way::out, buffers);
    receives_ = side_of(problem, Way::in, buffers);
  });
}

NeighborTypes::Side NeighborTypes::side_of(const HaloProblem& problem, Way way, const Buffers& buffers) const {
  Side side;
  for (const auto& edge : by_neighbor(problem, problem.transfers(way))) {
    if (!edge.empty()) {
      const std::span<const Transfer> transfers(&problem.transfers(way)[edge.front()], edge.size());
      side.owners.push_back(type_of(problem, transfers, way, bound_ ? &buffers : nullptr));
    }
    side.types.push_back(edge.empty() ? MPI_BYTE : side.owners.back().get());
    side.counts.push_back(edge.empty() ? 0 : 1);
  }
  // An unused entry, because MPI libraries reject the null addresses of empty lists.
  side.types.push_back(MPI_BYTE);
  side.counts.push_back(0);
  side.displacements.assign(side.types.size(), 0);
  return side;
}

std::size_t NeighborTypes::bytes(const HaloProblem& problem) {
  // Single and combined datatypes, and the communicator, which the topology's other requests share.
  constexpr std::size_t communicator_bytes = 4096;
  return 2 * DatatypeMessages::bytes(problem) + communicator_bytes;
}

}  // namespace adcl::codelets
