// A reduction to rank 0 and a broadcast from there.
#include "codelets/collectives/one_to_all/bcast_tree.hpp"
#include "codelets/collectives/reductions/reduce_tree.hpp"
#include "codelets/collectives/rows.hpp"

namespace adcl::codelets {
namespace {

template <Tree tree, int radix, int segment_bytes>
void reduce_bcast(Script& script) {
  const Piece input = script.input();
  const Piece result{Place::receive, input.type, 0, input.count};
  const TreeNode node = node_of(tree, radix, script.rank(), script.size());
  reduce_along(script, node, 0, input, result, segment_bytes);
  script.end_round();
  bcast_along(script, node, result, segment_bytes);
}

template <int segment_bytes>
void two_trees(Script& script) {
  const Piece input = script.input();
  const Piece result{Place::receive, input.type, 0, input.count};
  const auto trees = double_tree_node(script.rank(), script.size());
  reduce_along(script, trees, 0, input, result, segment_bytes);
  script.end_round();
  bcast_along(script, trees, result, segment_bytes);
}

}  // namespace

Rows allreduce_combined() {
  return {
      row<&reduce_bcast<Tree::star, 0, 0>, Needs{.ranks = 1}>("Linear", {Family::linear}, source::thesis, "p"),
      row<&reduce_bcast<Tree::knomial, 2, 0>, Needs{.ranks = 3}>("Nonoverlapping", {Family::combined, 0, 2},
                                                                 source::thesis, "log p"),
      row<&reduce_bcast<Tree::knomial, 4, 0>, Needs{.ranks = 5}>("Nonoverlapping_4", {Family::combined, 0, 4},
                                                                 source::pjesivac, "log p"),
      row<&reduce_bcast<Tree::chain, 0, 32768>, Needs{.segment_bytes = 32768}>("Chain_32k", {Family::chain, 32768},
                                                                               source::pjesivac, "p"),
      row<&two_trees<32768>, Needs{.ranks = 3, .commutative = true, .segment_bytes = 32768}>(
          "Double_tree_32k", {Family::double_tree, 32768}, source::sanders, "log p"),
  };
}

}  // namespace adcl::codelets
