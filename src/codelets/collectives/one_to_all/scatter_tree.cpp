// A scatter along a k-nomial tree: a rank receives the blocks of its subtree in one message.
#include "codelets/collectives/rows.hpp"
#include "codelets/collectives/runs.hpp"
#include "codelets/collectives/trees.hpp"

namespace adcl::codelets {
namespace {

template <int radix>
void scatter(Script& script) {
  const int p = script.size();
  const int me = script.from_root(script.rank());
  const TreeNode node = knomial_node(me, p, radix);
  if (me == 0) {
    for (const int child : node.largest_first()) {
      for (const Run& run : runs_of(script, child, child + knomial_subtree(child, p, radix))) {
        script.send(script.rank_at(child), joined(script.out(run.rank), run.blocks));
      }
    }
    if (!script.problem().in_place) {
      script.copy(script.out(script.rank()), script.result());
    }
    return;
  }
  const std::int64_t bytes = script.result().bytes();
  const int subtree = knomial_subtree(me, p, radix);
  const Piece all = subtree == 1 ? script.result() : script.scratch(bytes * subtree);
  if (node.parent == 0 && subtree > 1) {
    std::int64_t position = 0;
    for (const Run& run : runs_of(script, me, me + subtree)) {
      script.receive(script.root(), all.part(position, run.blocks * bytes));
      position += run.blocks * bytes;
    }
  } else {
    script.receive(script.rank_at(node.parent), all);
  }
  script.end_round();
  for (const int child : node.largest_first()) {
    script.send(script.rank_at(child), all.part((child - me) * bytes, knomial_subtree(child, p, radix) * bytes));
  }
  if (subtree > 1) {
    script.copy(all.part(0, bytes), script.result());
  }
}

}  // namespace

Rows scatter_tree() {
  return {
      row<&scatter<2>, Needs{.ranks = 3}>("Binomial", {.family = Family::tree, .radix = 2}, source::chan, "p"),
      row<&scatter<4>, Needs{.ranks = 5}>("Knomial_4", {.family = Family::tree, .radix = 4}, source::chan, "p"),
  };
}

}  // namespace adcl::codelets
