/// \file nodes.hpp
/// Which processes share a node, as far as one of them needs to know. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/hash.hpp"

namespace adcl {

/// The nodes of a communicator as one of its ranks sees them: its own node rank by rank, of all others only what they
/// add up to. That is as much memory as a node has ranks, however many nodes there are.
struct Nodes {
  int count = 1;           ///< of nodes; the same on all ranks
  int smallest = 1;        ///< ranks of the node that has fewest; the same on all ranks
  std::uint64_t hash = 0;  ///< of which rank is on which node, the sum of node_hash(); the same on all ranks
  int own = 0;             ///< number of this rank's node: nodes are numbered in the order of their lowest ranks
  std::vector<int> ranks;  ///< of this rank's node, ascending

  /// Whether \p rank is on this rank's node.
  [[nodiscard]] bool hold(int rank) const noexcept { return std::binary_search(ranks.begin(), ranks.end(), rank); }

  bool operator==(const Nodes&) const = default;
};

/// What \p rank on node \p node adds to Nodes::hash, modulo 2^64.
inline std::uint64_t node_hash(int rank, int node) noexcept {
  return Hash().add(static_cast<std::uint64_t>(rank)).add(static_cast<std::uint64_t>(node)).value();
}

}  // namespace adcl
