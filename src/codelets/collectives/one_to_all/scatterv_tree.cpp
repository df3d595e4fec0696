// A scatter of blocks of different lengths along a k-nomial tree: a rank receives the blocks of its subtree in one
// message.
#include "codelets/collectives/block_sizes.hpp"
#include "codelets/collectives/trees.hpp"

namespace adcl::codelets {
namespace {

template <int radix>
void scatterv(Script& script, const BlockSizes& sizes) {
  const int p = script.size();
  const int me = script.from_root(script.rank());
  const TreeNode node = knomial_node(me, p, radix);
  const int subtree = knomial_subtree(me, p, radix);
  if (subtree == 1 && me > 0) {
    script.receive(script.rank_at(node.parent), script.result());
    return;
  }
  const PackedSubtree packed(script, sizes, me, subtree);
  const Piece all = script.scratch(packed.bytes());
  if (me > 0) {
    script.receive(script.rank_at(node.parent), all);
  } else {
    for (int other = 1; other < p; ++other) {
      script.copy(script.out(script.rank_at(other)), packed.blocks(all, other, 1));
    }
  }
  script.end_round();
  for (const int child : node.largest_first()) {
    script.send(script.rank_at(child), packed.blocks(all, child, knomial_subtree(child, p, radix)));
  }
  if (me > 0) {
    script.copy(packed.blocks(all, me, 1), script.result());
  } else if (!script.problem().in_place) {
    script.copy(script.out(script.rank()), script.result());
  }
}

}  // namespace

Rows scatterv_tree() {
  return {sized_row<&scatterv<2>, Needs{.ranks = 3}>("Binomial", {.family = Family::tree, .radix = 2},
                                                     source::irregular, "p"),
          sized_row<&scatterv<4>, Needs{.ranks = 5}>("Knomial_4", {.family = Family::tree, .radix = 4},
                                                     source::irregular, "p")};
}

}  // namespace adcl::codelets
