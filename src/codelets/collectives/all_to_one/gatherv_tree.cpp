// A gather of blocks of different lengths along a k-nomial tree: a rank sends the blocks of its subtree in one message.
#include "codelets/collectives/block_sizes.hpp"
#include "codelets/collectives/trees.hpp"

namespace adcl::codelets {
namespace {

template <int radix>
void gatherv(Script& script, const BlockSizes& sizes) {
  const int p = script.size();
  const int me = script.from_root(script.rank());
  const TreeNode node = knomial_node(me, p, radix);
  const int subtree = knomial_subtree(me, p, radix);
  if (subtree == 1) {
    script.send(script.rank_at(node.parent), script.own());
    return;
  }
  const PackedSubtree packed(script, sizes, me, subtree);
  const Piece all = script.scratch(packed.bytes());
  for (const int child : node.children) {
    script.receive(script.rank_at(child), packed.blocks(all, child, knomial_subtree(child, p, radix)));
  }
  if (me > 0) {
    script.copy(script.own(), packed.blocks(all, me, 1));
    script.end_round();
    script.send(script.rank_at(node.parent), all);
    return;
  }
  script.copy(script.own(), script.in(script.rank()));
  for (int other = 1; other < p; ++other) {
    script.copy(packed.blocks(all, other, 1), script.in(script.rank_at(other)));
  }
}

}  // namespace

Rows gatherv_tree() {
  return {sized_row<&gatherv<2>, Needs{.ranks = 3}>("Binomial", {.family = Family::tree, .radix = 2}, source::irregular,
                                                    "p"),
          sized_row<&gatherv<4>, Needs{.ranks = 5}>("Knomial_4", {.family = Family::tree, .radix = 4},
                                                    source::irregular, "p")};
}

}  // namespace adcl::codelets
