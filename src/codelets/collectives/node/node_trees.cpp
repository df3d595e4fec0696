// Broadcast, reduction and barrier along one tree of all ranks that enters each node once: leaders of nodes forward to
// each other, and each leader to the ranks of its node.
#include "codelets/collectives/node/node_rows.hpp"
#include "codelets/collectives/one_to_all/bcast_tree.hpp"
#include "codelets/collectives/reductions/reduce_tree.hpp"

namespace adcl::codelets {
namespace {

template <int radix, int segment_bytes>
void bcast(Script& script, const NodeMap& map) {
  bcast_along(script, node_tree(script, map, radix), script.result(), segment_bytes);
}

template <int radix, int segment_bytes>
void reduce(Script& script, const NodeMap& map) {
  const Piece input = script.input();
  reduce_along(script, node_tree(script, map, radix), script.root(), input,
               {Place::receive, input.type, 0, input.count}, segment_bytes);
}

template <int radix, int segment_bytes>
void allreduce(Script& script, const NodeMap& map) {
  const Piece input = script.input();
  const Piece result{Place::receive, input.type, 0, input.count};
  const TreeNode node = node_tree(script, map, radix);
  reduce_along(script, node, 0, input, result, segment_bytes);
  script.end_round();
  bcast_along(script, node, result, segment_bytes);
}

template <int radix>
void barrier(Script& script, const NodeMap& map) {
  const TreeNode node = node_tree(script, map, radix);
  for (const int child : node.children) {
    script.await(child);
  }
  script.end_round();
  if (node.parent >= 0) {
    script.signal(node.parent);
    script.end_round();
    script.await(node.parent);
    script.end_round();
  }
  for (const int child : node.largest_first()) {
    script.signal(child);
  }
}

constexpr int piece = 32768;
constexpr Attributes tree{.family = Family::tree, .radix = 2, .leaders = 1};
constexpr Attributes pieces{.family = Family::tree, .segment_bytes = piece, .radix = 2, .leaders = 1};
constexpr Attributes combined{.family = Family::combined, .radix = 2, .leaders = 1};
constexpr Attributes combined_pieces{.family = Family::combined, .segment_bytes = piece, .radix = 2, .leaders = 1};
constexpr Needs short_commutative{.commutative = true};
constexpr Needs long_commutative{.commutative = true, .segment_bytes = piece};
constexpr Needs long_alike{.alike = true, .segment_bytes = piece};

}  // namespace

Rows node_bcast() {
  return {node_row<&bcast<2, 0>, Needs{}>("Binomial", tree, source::karonis, "log p"),
          node_row<&bcast<2, piece>, long_alike>("Binomial_32k", pieces, source::karonis, "log p"),
          shared_node_row<&bcast<2, 0>, Needs{}>("Binomial", tree, source::karonis, "log p"),
          shared_node_row<&bcast<2, piece>, long_alike>("Binomial_32k", pieces, source::karonis, "log p")};
}

Rows node_reduce() {
  return {node_row<&reduce<2, 0>, short_commutative>("Binomial", tree, source::karonis, "log p"),
          node_row<&reduce<2, piece>, long_commutative>("Binomial_32k", pieces, source::karonis, "log p"),
          shared_node_row<&reduce<2, 0>, short_commutative>("Binomial", tree, source::karonis, "log p"),
          shared_node_row<&reduce<2, piece>, long_commutative>("Binomial_32k", pieces, source::karonis, "log p")};
}

Rows node_allreduce_tree() {
  return {
      node_row<&allreduce<2, piece>, long_commutative>("Tree_32k", combined_pieces, source::karonis, "log p"),
      shared_node_row<&allreduce<2, 0>, short_commutative>("Tree", combined, source::karonis, "log p"),
      shared_node_row<&allreduce<2, piece>, long_commutative>("Tree_32k", combined_pieces, source::karonis, "log p")};
}

Rows node_barrier() {
  return {node_row<&barrier<2>, Needs{}>("Binomial", tree, source::karonis, "log p"),
          shared_node_row<&barrier<2>, Needs{}>("Binomial", tree, source::karonis, "log p")};
}

}  // namespace adcl::codelets
