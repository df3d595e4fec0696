/// \file node_routes.hpp
/// Which rank carries what when messages between two nodes are combined. Local computations, except gather_pieces().
///
/// For each pair of nodes one rank on either side is the leader. Pairs are dealt out over the ranks of a node, so that
/// all of them share the work. A bundle is all data from one node to another one, ordered by (receiver, sender, tag):
/// what a receiver gets of it is one piece of memory.
/// Source: Bienz, Gropp and Olson, "Node aware sparse matrix-vector multiplication", JPDC 130 (2019).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/halo_problem.hpp"

namespace adcl::codelets {

/// The data of one transfer between nodes.
struct Piece {
  int receiver = 0;
  int sender = 0;
  int tag = 0;
  std::int64_t bytes = 0;
  std::int64_t offset = 0;  ///< in its bundle

  auto operator<=>(const Piece&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 misreads it
};

/// Leaders of the pairs of nodes.
class NodeLeaders {
 public:
  explicit NodeLeaders(std::span<const int> node_of_rank);
  [[nodiscard]] int node_of(int rank) const { return node_of_rank_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] int nodes() const noexcept { return static_cast<int>(ranks_.size()); }
  /// The rank of \p node that carries what goes to, or comes from, \p other.
  [[nodiscard]] int leader(int node, int other) const;
  /// Distinguishes the pairs with the same leader: 0 to slots() - 1.
  [[nodiscard]] int slot(int node, int other) const;
  [[nodiscard]] int slots() const noexcept { return slots_; }

 private:
  std::span<const int> node_of_rank_;
  std::vector<std::vector<int>> ranks_;  ///< per node
  int slots_ = 1;
};

/// Bundles of one node by the node at their other end.
using Bundles = std::map<int, std::vector<Piece>>;

/// All pieces that ranks of this rank's node send to (\p outgoing) or receive from other nodes, each with its place in
/// the bundle. Collective over \p node_comm, the ranks of the node.
Bundles gather_bundles(MPI_Comm node_comm, const NodeLeaders& leaders, const std::vector<Piece>& own, bool outgoing);

/// Bytes of a whole bundle.
std::int64_t bundle_bytes(const std::vector<Piece>& bundle);

}  // namespace adcl::codelets
