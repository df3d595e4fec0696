/// \file neighbor_graph.hpp
/// The process graph of a problem in the form that MPI's neighborhood collectives require.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codelets/neighborhood/halo_problem.hpp"
#include "codelets/neighborhood/messages.hpp"
#include "mpi/context.hpp"
#include "mpi/datatype.hpp"

namespace adcl::codelets {

/// The transfers of one direction by neighbor: entry e has the indices, sorted by tag, of the transfers with neighbor e
/// of neighbors_of(problem).
using TransfersByNeighbor = std::vector<std::vector<std::size_t>>;

/// Reason why the MPI library does not support neighbor_graph() and its collectives, or nothing.
std::optional<std::string> no_neighbor_collectives();

/// Groups \p transfers, which are the problem's sends or its receives.
TransfersByNeighbor by_neighbor(const HaloProblem& problem, const std::vector<Transfer>& transfers);

/// A distributed graph communicator in which each rank of neighbors_of(problem) is a source and a destination exactly
/// once: MPI libraries differ in how they match several edges between two ranks, and MPICH 4.0 does not receive more
/// messages than it sends. Edges without data have empty messages. All requests of a topology share the communicator.
/// Collective.
std::shared_ptr<mpi::Communicator> neighbor_graph(const HaloProblem& problem, mpi::Context& context);

/// Arguments of MPI_Neighbor_alltoallw for a problem: one datatype per edge, relative to the array; for several fields,
/// relative to MPI_BOTTOM and bound to the addresses.
class NeighborTypes {
 public:
  /// Collective: throws on all ranks if it throws on one.
  NeighborTypes(const HaloProblem& problem, MPI_Comm comm, const Buffers& buffers);

  /// Calls \p function with the arguments from sendbuf to recvtypes.
  template <typename Function>
  auto call(const Buffers& buffers, Function function) const {
    const void* const send = bound_ ? MPI_BOTTOM : buffers.front().send;
    void* const receive = bound_ ? MPI_BOTTOM : buffers.front().receive;
    return function(send, sends_.counts.data(), sends_.displacements.data(), sends_.types.data(), receive,
                    receives_.counts.data(), receives_.displacements.data(), receives_.types.data());
  }

  static std::size_t bytes(const HaloProblem& problem);

 private:
  struct Side {
    std::vector<mpi::Datatype> owners;
    std::vector<MPI_Datatype> types;
    std::vector<int> counts;
    std::vector<MPI_Aint> displacements;
  };
  [[nodiscard]] Side side_of(const HaloProblem& problem, Way way, const Buffers& buffers) const;

  bool bound_;
  Side sends_;
  Side receives_;
};

}  // namespace adcl::codelets
