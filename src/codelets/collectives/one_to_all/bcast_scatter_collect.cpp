// A broadcast of long messages: the root scatters parts along a binomial tree, then all ranks collect them.
#include <bit>
#include "codelets/collectives/rows.hpp"
#include "codelets/collectives/segments.hpp"
#include "codelets/collectives/trees.hpp"

namespace adcl::codelets {
namespace {

/// Sends part i of the data to node i of the root's binomial tree.
void scatter_parts(Script& script, const Piece& all) {
  const int p = script.size();
  const int me = script.from_root(script.rank());
  const TreeNode node = knomial_node(me, p, 2);
  if (node.parent >= 0) {
    script.receive(script.rank_at(node.parent), parts_of(all, p, me, me + knomial_subtree(me, p, 2)));
    script.end_round();
  }
  for (const int child : node.largest_first()) {
    script.send(script.rank_at(child), parts_of(all, p, child, child + knomial_subtree(child, p, 2)));
  }
  script.end_round();
}

void ring(Script& script) {
  const Piece all = script.result();
  const int p = script.size();
  const int me = script.from_root(script.rank());
  scatter_parts(script, all);
  // Parts that a rank already has from the scatter are received again, so that all ranks execute the same steps.
  for (int step = 0; step + 1 < p; ++step) {
    const int sent = (me - step + p) % p;
    const int received = (sent - 1 + p) % p;
    script.send(script.around(1), parts_of(all, p, sent, sent + 1));
    script.receive(script.around(-1), parts_of(all, p, received, received + 1));
    script.end_round();
  }
}

void doubling(Script& script) {
  const Piece all = script.result();
  const int p = script.size();
  const int me = script.from_root(script.rank());
  scatter_parts(script, all);
  for (int distance = 1; distance < p; distance *= 2) {
    const int peer = me ^ distance;
    const int mine = me / distance * distance;
    const int theirs = peer / distance * distance;
    script.send(script.rank_at(peer), parts_of(all, p, mine, mine + distance));
    script.receive(script.rank_at(peer), parts_of(all, p, theirs, theirs + distance));
    script.end_round();
  }
}

}  // namespace

Rows bcast_scatter_collect() {
  return {
      row<&ring, Needs{.ranks = 3, .alike = true}>("Scatter_ring", {Family::ring}, source::thakur, "p"),
      row<&doubling, Needs{.ranks = 4, .power_of_two = true, .alike = true}>("Scatter_doubling", {Family::doubling},
                                                                             source::thakur, "log p"),
  };
}

}  // namespace adcl::codelets
