/// \file node_map.hpp
/// The nodes of a communicator, for codelets that communicate differently within a node and between nodes: the
/// information on other nodes that a rank's schedule needs.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "codelets/collectives/schedule.hpp"
#include "codelets/collectives/trees.hpp"

namespace adcl::codelets {

/// The ranks of other nodes that a codelet needs.
enum class NodeView {
  leaders,  ///< the leaders of each node: memory grows with the number of nodes
  all  ///< all ranks: for operations with a block for each rank, whose schedules grow with the number of ranks anyway
};

/// The nodes of the ranks, numbered as in core/machine.hpp.
class NodeMap {
 public:
  /// Maximum number of leaders per node.
  static constexpr int most_leaders = 8;

  /// Collects the data from the other ranks. Collective over \p comm; throws the same error on all ranks.
  static NodeMap collect(const CollectiveProblem& problem, MPI_Comm comm, NodeView view);
  /// Invents the ranks of the other nodes, for estimates that depend only on the numbers of nodes and ranks, such as
  /// the memory of a schedule. Local.
  static NodeMap guess(const CollectiveProblem& problem, NodeView view);
  /// Reason why node-aware communication does not benefit the problem, or nothing. The same on all ranks.
  static std::optional<std::string> objection(const CollectiveProblem& problem);

  [[nodiscard]] int nodes() const noexcept { return nodes_; }
  [[nodiscard]] int own() const noexcept { return own_; }
  /// Number of leaders of each node; 1 for operations with a root, which is the leader of its node.
  [[nodiscard]] int leaders() const noexcept { return leaders_; }
  [[nodiscard]] int leader(int node, int number = 0) const {
    return leader_ranks_[static_cast<std::size_t>(node) * static_cast<std::size_t>(leaders_) +
                         static_cast<std::size_t>(number)];
  }
  /// The leaders with number \p number of all nodes, beginning with the node \p first.
  [[nodiscard]] std::vector<int> leaders_of(int number, int first = 0) const;
  /// The node of the root, or 0.
  [[nodiscard]] int root_node() const noexcept { return root_node_; }
  /// The ranks of this node, the first leader at the front.
  [[nodiscard]] const std::vector<int>& own_ranks() const noexcept { return own_ranks_; }
  /// The ranks of a node, ascending. Only for NodeView::all.
  [[nodiscard]] const std::vector<int>& ranks(int node) const { return ranks_[static_cast<std::size_t>(node)]; }

 private:
  NodeMap(const CollectiveProblem& problem, NodeView view);
  void lead(const CollectiveProblem& problem);

  int nodes_;
  int own_;
  int leaders_;
  int root_node_ = 0;
  std::vector<int> own_ranks_;
  std::vector<int> leader_ranks_;
  std::vector<std::vector<int>> ranks_;
};

/// This rank's node in one tree of all ranks: a k-nomial tree of the leaders, beginning with the root's, and below each
/// leader a k-nomial tree of its node's ranks, both of base \p radix. Neighbors in the tree are numbered from the root.
/// Children on other nodes are last in `children`, so that they come first in largest_first().
TreeNode node_tree(const Script& script, const NodeMap& map, int radix);

}  // namespace adcl::codelets
