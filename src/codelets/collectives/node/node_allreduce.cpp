// Reductions in three steps: within each node, between leaders of nodes, within each node again. One leader handles all
// entries, or several leaders handle a part each.
#include <algorithm>

#include "codelets/collectives/node/node_rows.hpp"
#include "codelets/collectives/one_to_all/bcast_tree.hpp"
#include "codelets/collectives/reductions/allreduce_doubling.hpp"
#include "codelets/collectives/reductions/reduce_tree.hpp"
#include "codelets/collectives/segments.hpp"

namespace adcl::codelets {
namespace {

void leader_doubles(Script& script, const NodeMap& map) {
  const Piece input = script.input();
  const Piece result{Place::receive, input.type, 0, input.count};
  {
    const Script::Among node(script, map.own_ranks());
    reduce_along(script, knomial_node(script.rank(), script.size(), 2), 0, input, result, 0);
    script.end_round();
  }
  if (script.rank() == map.leader(map.own())) {
    const Script::Among leaders(script, map.leaders_of(0));
    allreduce_by_doubling(script, result, result);
    script.end_round();
  }
  const Script::Among node(script, map.own_ranks());
  bcast_along(script, knomial_node(script.rank(), script.size(), 2), result, 0);
}

/// Each rank sends part j to leader j of its node. The leader combines the parts of its node, and then combines the
/// result with the leaders of the same number on the other nodes.
void many_leaders(Script& script, const NodeMap& map) {
  const Piece input = script.input();
  const Piece result{Place::receive, input.type, 0, input.count};
  const auto& own = map.own_ranks();
  const int leaders = map.leaders();
  const auto ranks = static_cast<int>(own.size());
  const auto me = static_cast<int>(std::find(own.begin(), own.end(), script.rank()) - own.begin());
  const bool leads = me < leaders;
  const auto part = [&](const Piece& all, int number) { return parts_of(all, leaders, number, number + 1); };
  const Piece mine = leads ? part(result, me) : Piece{};
  std::vector<Piece> arrived;
  for (int step = 1; step < ranks; ++step) {
    const int to = (me + step) % ranks;
    const int from = (me - step + ranks) % ranks;
    if (leads) {
      arrived.push_back(script.scratch_like(mine));
      script.receive(own[static_cast<std::size_t>(from)], arrived.back());
    }
    if (to < leaders) {
      script.send(own[static_cast<std::size_t>(to)], part(input, to));
    }
  }
  script.end_round();
  if (leads) {
    script.copy(part(input, me), mine);
    for (const Piece& other : arrived) {
      script.combine(other, mine);
    }
    script.end_round();
    const Script::Among all(script, map.leaders_of(me));
    allreduce_by_doubling(script, mine, mine);
    script.end_round();
  }
  for (int step = 1; step < ranks; ++step) {
    const int to = (me + step) % ranks;
    const int from = (me - step + ranks) % ranks;
    if (from < leaders) {
      script.receive(own[static_cast<std::size_t>(from)], part(result, from));
    }
    if (leads) {
      script.send(own[static_cast<std::size_t>(to)], mine);
    }
  }
}

constexpr Needs commutative{.commutative = true};
constexpr Attributes one{.family = Family::doubling, .leaders = 1};
constexpr Attributes many{.family = Family::doubling, .leaders = NodeMap::most_leaders};

}  // namespace

Rows node_allreduce() {
  return {node_row<&leader_doubles, commutative>("Doubling", one, source::karonis, "log p"),
          node_row<&many_leaders, commutative>("Leaders", many, source::leaders, "log p"),
          shared_node_row<&leader_doubles, commutative>("Doubling", one, source::karonis, "log p"),
          shared_node_row<&many_leaders, commutative>("Leaders", many, source::leaders, "log p")};
}

}  // namespace adcl::codelets
