#include "codelets/collectives/node/node_map.hpp"

#include <algorithm>

#include "mpi/check.hpp"
#include "mpi/together.hpp"

namespace adcl::codelets {
namespace {

/// The ranks of this node, its leader first; the root is the leader of its node.
std::vector<int> led(const CollectiveProblem& problem) {
  std::vector<int> ranks = problem.machine->nodes.ranks;
  const auto root = std::find(ranks.begin(), ranks.end(), problem.root);
  if (problem.rooted() && root != ranks.end()) {
    std::rotate(ranks.begin(), root, root + 1);
  }
  return ranks;
}

}  // namespace

NodeMap::NodeMap(const CollectiveProblem& problem, NodeView view)
    : nodes_(problem.machine->nodes.count),
      own_(problem.machine->nodes.own),
      leaders_(std::min(problem.machine->nodes.smallest, most_leaders)),
      own_ranks_(led(problem)) {
  if (view == NodeView::all) {
    ranks_.resize(static_cast<std::size_t>(nodes_));
  } else {
    leader_ranks_.assign(static_cast<std::size_t>(nodes_) * static_cast<std::size_t>(leaders_) + 1, -1);
  }
}

std::optional<std::string> NodeMap::objection(const CollectiveProblem& problem) {
  if (problem.machine->nodes.count == 1) {
    return "all processes are on one node";
  }
  if (problem.machine->nodes.count == problem.size) {
    return "every process is on a different node";
  }
  return std::nullopt;
}

/// Records the leaders of this node, and whether the root is on it.
void NodeMap::lead(const CollectiveProblem& problem) {
  std::copy_n(own_ranks_.begin(), leaders_, leader_ranks_.begin() + static_cast<std::ptrdiff_t>(own_) * leaders_);
  if (problem.rooted() && problem.machine->nodes.contains(problem.root)) {
    leader_ranks_.back() = own_;
  }
}

NodeMap NodeMap::collect(const CollectiveProblem& problem, MPI_Comm comm, NodeView view) {
  std::optional<NodeMap> map;
  std::vector<int> node_of_rank;
  mpi::run_collectively(comm, [&] {
    map = NodeMap(problem, view);
    if (view == NodeView::all) {
      node_of_rank.resize(static_cast<std::size_t>(problem.size));
    } else {
      map->lead(problem);
    }
  });
  mpi::run_collectively(comm, [&] {
    if (view == NodeView::all) {
      mpi::check(MPI_Allgather(&map->own_, 1, MPI_INT, node_of_rank.data(), 1, MPI_INT, comm), "MPI_Allgather");
      for (int rank = 0; rank < problem.size; ++rank) {
        map->ranks_[static_cast<std::size_t>(node_of_rank[static_cast<std::size_t>(rank)])].push_back(rank);
      }
      return;
    }
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, map->leader_ranks_.data(), static_cast<int>(map->leader_ranks_.size()),
                             MPI_INT, MPI_MAX, comm),
               "MPI_Allreduce");
    map->root_node_ = std::max(map->leader_ranks_.back(), 0);
    map->leader_ranks_.pop_back();
  });
  return std::move(*map);
}

NodeMap NodeMap::guess(const CollectiveProblem& problem, NodeView view) {
  NodeMap map(problem, view);
  const Nodes& nodes = problem.machine->nodes;
  if (view == NodeView::leaders) {
    std::fill(map.leader_ranks_.begin(), map.leader_ranks_.end(), problem.rank);
    map.lead(problem);
    map.leader_ranks_.pop_back();
    return map;
  }
  // Then the other ranks in order.
  int next = 0;
  for (int rank = 0; rank < problem.size; ++rank) {
    int node = nodes.own;
    if (!nodes.contains(rank)) {
      next += next == nodes.own ? 1 : 0;
      node = next;
      next = (next + 1) % nodes.count;
    }
    map.ranks_[static_cast<std::size_t>(node % nodes.count)].push_back(rank);
  }
  return map;
}

std::vector<int> NodeMap::leaders_of(int number, int first) const {
  std::vector<int> ranks;
  for (int i = 0; i < nodes_; ++i) {
    ranks.push_back(leader((first + i) % nodes_, number));
  }
  return ranks;
}

TreeNode node_tree(const Script& script, const NodeMap& map, int radix) {
  const auto& own = map.own_ranks();
  const auto me = static_cast<int>(std::find(own.begin(), own.end(), script.rank()) - own.begin());
  const TreeNode inside = knomial_node(me, static_cast<int>(own.size()), radix);
  TreeNode place;
  for (const int child : inside.children) {
    place.children.push_back(script.from_root(own[static_cast<std::size_t>(child)]));
  }
  if (me > 0) {
    place.parent = script.from_root(own[static_cast<std::size_t>(inside.parent)]);
    return place;
  }
  const auto leader_at = [&](int from_root_node) {
    return script.from_root(map.leader((map.root_node() + from_root_node) % map.nodes()));
  };
  const TreeNode outside = knomial_node((map.own() - map.root_node() + map.nodes()) % map.nodes(), map.nodes(), radix);
  for (const int child : outside.children) {
    place.children.push_back(leader_at(child));
  }
  if (outside.parent >= 0) {
    place.parent = leader_at(outside.parent);
  }
  return place;
}

}  // namespace adcl::codelets
