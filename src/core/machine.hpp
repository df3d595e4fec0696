/// \file machine.hpp
/// The properties of the machine that affect which codelet is fastest, and the processes that share a node. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
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

/// Equal on all ranks of a communicator, except the members of `nodes` about this rank's node.
struct Machine {
  int ranks = 1;  ///< number of ranks of the communicator
  Nodes nodes;
  std::string library;  ///< name of the MPI library, such as "Open MPI"
  std::string version;  ///< its version, such as "4.1.4"

  /// Hash of all members that are the same on all ranks.
  [[nodiscard]] std::uint64_t identity() const noexcept {
    return Hash().add(static_cast<std::uint64_t>(ranks)).add(nodes.hash).add(library).add(version).value();
  }
};

}  // namespace adcl
