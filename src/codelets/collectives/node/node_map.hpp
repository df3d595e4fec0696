/// \file node_map.hpp
/// What codelets that treat nodes differently know of other nodes, while they write down what a rank does.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "codelets/collectives/schedule.hpp"
#include "codelets/collectives/trees.hpp"

namespace adcl::codelets {

/// How much of other nodes a codelet needs to know.
enum class NodeView {
  leaders,  ///< some ranks of each node: numbers by nodes
  all       ///< every rank: for operations with a block for each rank, whose schedules are as long anyway
};

/// The nodes of the ranks, numbered as in core/nodes.hpp.
class NodeMap {
 public:
  /// At most so many ranks of a node lead it.
  static constexpr int most_leaders = 8;

  /// Asks the other ranks. Collective over \p comm; throws the same error on all ranks.
  static NodeMap ask(const CollectiveProblem& problem, MPI_Comm comm, NodeView view);
  /// Other nodes are made up, for what depends on their numbers only: how much memory a schedule takes. Local.
  static NodeMap guess(const CollectiveProblem& problem, NodeView view);
  /// Why there is nothing that nodes could do differently, or nothing. The same on all ranks.
  static std::optional<std::string> objection(const CollectiveProblem& problem);

  [[nodiscard]] int nodes() const noexcept { return nodes_; }
  [[nodiscard]] int own() const noexcept { return own_; }
  /// How many leaders each node has; with a root, whose node it leads, one counts.
  [[nodiscard]] int leaders() const noexcept { return leaders_; }
  [[nodiscard]] int leader(int node, int number = 0) const {
    return leader_ranks_[static_cast<std::size_t>(node) * static_cast<std::size_t>(leaders_) +
                         static_cast<std::size_t>(number)];
  }
  /// The leaders of that number of all nodes, beginning with the node \p first.
  [[nodiscard]] std::vector<int> leaders_of(int number, int first = 0) const;
  /// The node of the root, or 0.
  [[nodiscard]] int root_node() const noexcept { return root_node_; }
  /// The ranks of this node, the first leader in front.
  [[nodiscard]] const std::vector<int>& own_ranks() const noexcept { return own_ranks_; }
  /// The ranks of a node, ascending. NodeView::all.
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

/// This rank's place in one tree of all ranks: the leaders, from the root's on, and the ranks of each node below its
/// leader, both in k-nomial trees of base \p radix. Neighbors are numbered from the root on; those on other nodes are
/// the last children, which come first where the largest subtree does.
TreeNode node_tree(const Script& script, const NodeMap& map, int radix);

}  // namespace adcl::codelets
