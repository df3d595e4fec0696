/// \file nodes.hpp
/// The processes that share a node, from the view of one of them. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/hash.hpp"

namespace adcl {

/// The nodes of a communicator as seen by one rank: all ranks of its own node, and only totals for the other nodes. The
/// memory does not grow with the number of nodes.
struct Nodes {
  int count = 1;           ///< number of nodes; the same on all ranks
  int smallest = 1;        ///< number of ranks on the smallest node; the same on all ranks
  std::uint64_t hash = 0;  ///< hash of the mapping of ranks to nodes: the sum of node_hash(); the same on all ranks
  int own = 0;             ///< number of this rank's node; nodes are numbered in the order of their lowest ranks
  std::vector<int> ranks;  ///< ranks of this rank's node, ascending

  /// Whether \p rank is on this rank's node.
  [[nodiscard]] bool contains(int rank) const noexcept { return std::binary_search(ranks.begin(), ranks.end(), rank); }

  bool operator==(const Nodes&) const = default;
};

/// Contribution of \p rank on node \p node to Nodes::hash, modulo 2^64.
inline std::uint64_t node_hash(int rank, int node) noexcept {
  return Hash().add(static_cast<std::uint64_t>(rank)).add(static_cast<std::uint64_t>(node)).value();
}

}  // namespace adcl
