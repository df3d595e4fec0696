// A gather along a k-nomial tree: a rank sends the blocks of its subtree in one message.
#include "codelets/collectives/rows.hpp"
#include "codelets/collectives/runs.hpp"
#include "codelets/collectives/trees.hpp"

namespace adcl::codelets {
namespace {

template <int radix>
void gather(Script& script) {
  const int p = script.size();
  const int me = script.from_root(script.rank());
  const TreeNode node = knomial_node(me, p, radix);
  if (me == 0) {
    for (const int child : node.children) {
      for (const Run& run : runs_of(script, child, child + knomial_subtree(child, p, radix))) {
        script.receive(script.rank_at(child), joined(script.in(run.rank), run.blocks));
      }
    }
    script.copy(script.own(), script.in(script.rank()));
    return;
  }
  const std::int64_t bytes = script.own().bytes();
  const int subtree = knomial_subtree(me, p, radix);
  if (subtree == 1) {
    script.send(script.rank_at(node.parent), script.own());
    return;
  }
  const Piece all = script.scratch(bytes * subtree);
  for (const int child : node.children) {
    script.receive(script.rank_at(child), all.part((child - me) * bytes, knomial_subtree(child, p, radix) * bytes));
  }
  script.copy(script.own(), all.part(0, bytes));
  script.end_round();
  if (node.parent != 0) {
    script.send(script.rank_at(node.parent), all);
    return;
  }
  std::int64_t position = 0;
  for (const Run& run : runs_of(script, me, me + subtree)) {
    script.send(script.root(), all.part(position, run.blocks * bytes));
    position += run.blocks * bytes;
  }
}

}  // namespace

Rows gather_tree() {
  return {
      row<&gather<2>, Needs{.ranks = 3}>("Binomial", {.family = Family::tree, .radix = 2}, source::chan, "p"),
      row<&gather<4>, Needs{.ranks = 5}>("Knomial_4", {.family = Family::tree, .radix = 4}, source::chan, "p"),
  };
}

}  // namespace adcl::codelets
