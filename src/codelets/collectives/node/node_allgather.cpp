// An allgather in three steps: the leader of each node collects the node's blocks, leaders exchange the blocks of their
// nodes in a ring, and each leader distributes all blocks to its node.
#include <algorithm>

#include "codelets/collectives/all_to_all/allgather_area.hpp"
#include "codelets/collectives/node/node_rows.hpp"

namespace adcl::codelets {
namespace {

/// All ranks sorted by node, and the position of the first rank of each node.
struct Order {
  explicit Order(const NodeMap& map) {
    for (int node = 0; node < map.nodes(); ++node) {
      begins.push_back(static_cast<int>(ranks.size()));
      ranks.insert(ranks.end(), map.ranks(node).begin(), map.ranks(node).end());
    }
    begins.push_back(static_cast<int>(ranks.size()));
  }
  std::vector<int> ranks;
  std::vector<int> begins;
};

template <Tree inside>
void one_leader(Script& script, const NodeMap& map) {
  const Order order(map);
  AllgatherArea area(script, order.ranks);
  const auto& own = map.ranks(map.own());
  const auto begin_of = [&](int node) { return order.begins[static_cast<std::size_t>(node)]; };
  const auto me = static_cast<int>(std::find(own.begin(), own.end(), script.rank()) - own.begin());
  const int first = begin_of(map.own());
  const auto all_of = [&](int node) { return area.blocks(begin_of(node), begin_of(node + 1)); };
  if (me > 0) {
    script.send(own.front(), area.blocks(first + me, first + me + 1));
    script.end_round();
  } else {
    for (std::size_t i = 1; i < own.size(); ++i) {
      const int place = first + static_cast<int>(i);
      script.receive(own[i], area.blocks(place, place + 1));
    }
    script.end_round();
    const int n = map.nodes();
    const int next = map.ranks((map.own() + 1) % n).front();
    const int before = map.ranks((map.own() + n - 1) % n).front();
    for (int step = 0; step + 1 < n; ++step) {
      script.send(next, all_of((map.own() - step + n) % n));
      script.receive(before, all_of((map.own() - step - 1 + n) % n));
      script.end_round();
    }
  }
  const TreeNode node = node_of(inside, 2, me, static_cast<int>(own.size()));
  const Piece all = area.blocks(0, script.size());
  if (node.parent >= 0) {
    script.receive(own[static_cast<std::size_t>(node.parent)], all);
    script.end_round();
  }
  for (const int child : node.largest_first()) {
    script.send(own[static_cast<std::size_t>(child)], all);
  }
  script.end_round();
  area.finish();
}

constexpr Attributes ring{.family = Family::ring, .leaders = 1};

}  // namespace

Rows node_allgather() {
  return {node_row<&one_leader<Tree::knomial>, Needs{}, NodeView::all>("Ring", ring, source::clusters, "p"),
          shared_node_row<&one_leader<Tree::star>, Needs{}, NodeView::all>("Ring", ring, source::clusters, "p")};
}

}  // namespace adcl::codelets
