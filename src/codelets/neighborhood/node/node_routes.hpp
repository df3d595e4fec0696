/// \file node_routes.hpp
/// The routes of combined messages between nodes.
///
/// For each pair of nodes, one rank on each node is the leader. Pairs are distributed over the ranks of a node, so that
/// all ranks of the node share the work. A bundle is all data from one node to another node, ordered by (receiver,
/// sender, tag), so that each receiver's data are one piece of memory. A rank stores the ranks of its own node, and
/// receives the node numbers of its neighbors from them. No rank stores a map of all nodes. Source: Bienz, Gropp and
/// Olson, "Node aware sparse matrix-vector multiplication", JPDC 130 (2019).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "codelets/neighborhood/halo_problem.hpp"

namespace adcl::codelets {

/// The data of one transfer between nodes.
struct Piece {
  int receiver = 0;
  int sender = 0;
  int tag = 0;
  std::int64_t bytes = 0;
  std::int64_t offset = 0;  ///< offset in its bundle

  auto operator<=>(const Piece&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 misreads it
};

/// The other node of a pair of nodes.
struct FarNode {
  int node = 0;
  int leader = 0;  ///< the rank of that node that exchanges data with this rank's node
};

/// The rank of this node that exchanges data with node \p other.
inline int leader_for(const Nodes& nodes, int other) {
  return nodes.ranks[static_cast<std::size_t>(other) % nodes.ranks.size()];
}
/// Distinguishes the pairs that have the same leader on this node: 0 to leader_slots() - 1.
inline int leader_slot(const Nodes& nodes, int other) { return other / static_cast<int>(nodes.ranks.size()); }
/// Maximum number of leader slots of all nodes; the same on all ranks.
inline int leader_slots(const Nodes& nodes) { return (nodes.count - 1) / nodes.smallest + 1; }

/// The nodes of the neighbors on other nodes. The exchange takes two messages per neighbor.
class FarNodes {
 public:
  /// Allocates all memory that exchange_nodes() needs. Local.
  explicit FarNodes(const HaloProblem& problem);
  /// Exchanges node numbers with each neighbor on another node. Uses the first of the problem's tags. Collective over
  /// neighbors: if a rank has a neighbor on another node, that neighbor also has this rank as a neighbor.
  void exchange_nodes(const HaloProblem& problem, MPI_Comm comm);
  /// The node of a neighbor on another node.
  [[nodiscard]] FarNode of(int peer) const;

 private:
  void exchange(MPI_Comm comm, int tag);

  std::vector<int> peers_;  ///< ascending
  std::vector<FarNode> nodes_;
  std::vector<int> sent_;      ///< numbers sent to each peer
  std::vector<int> received_;  ///< numbers received from each peer
  std::vector<MPI_Request> requests_;
};

/// A rank's description of a transfer to or from another node.
struct Share {
  Piece piece;
  FarNode far;
};

/// All data between two nodes, in one direction.
struct Bundle {
  int far_leader = 0;
  std::vector<Piece> pieces;
};

/// Bundles of one node, indexed by the other node.
using Bundles = std::map<int, Bundle>;

/// Returns all pieces that ranks of this rank's node send to, or receive from, other nodes, with their offsets in the
/// bundles; \p own has the pieces of this rank. Collective over \p node_comm, the ranks of the node.
Bundles gather_bundles(MPI_Comm node_comm, const std::vector<Share>& own);

/// Bytes of a whole bundle.
std::int64_t bundle_bytes(const Bundle& bundle);

}  // namespace adcl::codelets
