// A broadcast along a tree, in one piece or pipelined in several pieces.
#include "codelets/collectives/one_to_all/bcast_tree.hpp"

#include "codelets/collectives/rows.hpp"
#include "codelets/collectives/segments.hpp"

namespace adcl::codelets {

void bcast_along(Script& script, const TreeNode& node, const Piece& all, std::int64_t segment_bytes) {
  bcast_along(script, std::span(&node, 1), all, segment_bytes);
}

void bcast_along(Script& script, std::span<const TreeNode> trees, const Piece& all, std::int64_t segment_bytes) {
  const std::vector<Piece> segments = segments_of(all, segment_bytes);
  const bool is_root = trees.front().parent < 0;
  const auto pass_on = [&](std::size_t i) {
    for (const int child : trees[i % trees.size()].largest_first()) {
      script.send(script.rank_at(child), segments[i]);
    }
  };
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (is_root) {
      pass_on(i);
    } else {
      script.receive(script.rank_at(trees[i % trees.size()].parent), segments[i]);
      if (i > 0) {
        pass_on(i - 1);
      }
    }
    script.end_round();
  }
  if (!is_root && !segments.empty()) {
    pass_on(segments.size() - 1);
    script.end_round();
  }
}

namespace {

template <Tree tree, int radix, int segment_bytes>
void bcast(Script& script) {
  bcast_along(script, node_of(tree, radix, script.from_root(script.rank()), script.size()), script.result(),
              segment_bytes);
}

template <int segment_bytes>
void two_trees(Script& script) {
  bcast_along(script, double_tree_node(script.from_root(script.rank()), script.size()), script.result(), segment_bytes);
}

template <int bytes>
constexpr Needs in_segments{.alike = true, .segment_bytes = bytes};

template <Tree tree, int radix, int bytes>
Codelet segmented(const char* name, Family family, const char* growth) {
  return row<&bcast<tree, radix, bytes>, in_segments<bytes>>(
      name, {family, bytes, tree == Tree::knomial ? radix : not_applicable}, source::pjesivac, growth);
}

}  // namespace

Rows bcast_tree() {
  return {
      row<&bcast<Tree::star, 0, 0>, Needs{.ranks = 1}>("Linear", {Family::linear}, source::thesis, "p"),
      row<&bcast<Tree::knomial, 2, 0>, Needs{}>("Binomial", {Family::tree, 0, 2}, source::thakur, "log p"),
      row<&bcast<Tree::knomial, 4, 0>, Needs{.ranks = 4}>("Knomial_4", {Family::tree, 0, 4}, source::pjesivac, "log p"),
      segmented<Tree::knomial, 2, 32768>("Binomial_32k", Family::tree, "log p"),
      segmented<Tree::binary, 0, 8192>("Binary_8k", Family::binary, "log p"),
      segmented<Tree::binary, 0, 65536>("Binary_64k", Family::binary, "log p"),
      segmented<Tree::chain, 0, 8192>("Chain_8k", Family::chain, "p"),
      segmented<Tree::chain, 0, 65536>("Chain_64k", Family::chain, "p"),
      row<&two_trees<32768>, Needs{.ranks = 3, .alike = true, .segment_bytes = 32768}>(
          "Double_tree_32k", {Family::double_tree, 32768}, source::sanders, "log p"),
      shared_row<&bcast<Tree::star, 0, 0>, Needs{}>("Linear", {Family::linear}, source::thesis, "p"),
      shared_row<&bcast<Tree::knomial, 4, 0>, Needs{.ranks = 4}>("Knomial_4", {Family::tree, 0, 4}, source::pjesivac,
                                                                 "log p"),
      shared_row<&bcast<Tree::star, 0, 32768>, in_segments<32768>>("Linear_32k", {Family::linear, 32768},
                                                                   source::pjesivac, "p"),
  };
}

}  // namespace adcl::codelets
