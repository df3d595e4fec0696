// A reduction along a tree, in one piece or pipelined in several pieces.
#include "codelets/collectives/reductions/reduce_tree.hpp"

#include <array>

#include "codelets/collectives/reductions/fold.hpp"
#include "codelets/collectives/rows.hpp"
#include "codelets/collectives/segments.hpp"

namespace adcl::codelets {

int reduction_begin(const Script& script) { return script.problem().commutative ? script.root() : 0; }

void reduce_along(Script& script, const TreeNode& node, int first, const Piece& input, const Piece& result,
                  std::int64_t segment_bytes) {
  reduce_along(script, std::span(&node, 1), first, input, result, segment_bytes);
}

void reduce_along(Script& script, std::span<const TreeNode> trees, int first, const Piece& input, const Piece& result,
                  std::int64_t segment_bytes) {
  const auto rank_of = [&](int place) { return (place + first) % script.size(); };
  const std::vector<Piece> segments = segments_of(input, segment_bytes);
  const bool in_place = input.place == result.place && input.offset == result.offset;
  // Double buffering: while one piece is sent to the parent, the next pieces of the children arrive.
  std::array<std::vector<Piece>, 2> arrivals;
  for (std::size_t set = 0; set < std::min<std::size_t>(segments.size(), 2); ++set) {
    for (std::size_t c = 0; c < trees[set % trees.size()].children.size(); ++c) {
      arrivals.at(set).push_back(script.scratch_like(segments.front()));
    }
  }
  std::int64_t done = 0;
  Piece partial{};
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Piece& segment = segments[i];
    const TreeNode& node = trees[i % trees.size()];
    const Piece target = result.part(done, segment.count);
    Fold fold(script, segment, false);
    std::vector<Piece> places;
    for (std::size_t c = 0; c < node.children.size(); ++c) {
      // The last combination stores the result at its final location, if that is free.
      const bool last = c + 1 == node.children.size();
      places.push_back(node.parent < 0 && last && !in_place ? target : arrivals.at(i % 2)[c].part(0, segment.count));
      script.receive(rank_of(node.children[c]), places.back());
    }
    if (i > 0 && node.parent >= 0) {
      script.send(rank_of(trees[(i - 1) % trees.size()].parent), partial);
    }
    for (const Piece& place : places) {
      fold.append(place);
    }
    partial = fold.value();
    if (node.parent < 0) {
      script.copy(partial, target);
    }
    script.end_round();
    done += segment.count;
  }
  if (trees.front().parent >= 0 && !segments.empty()) {
    script.send(rank_of(trees[(segments.size() - 1) % trees.size()].parent), partial);
    script.end_round();
  }
}

namespace {

template <Tree tree, int radix, int segment_bytes>
void reduce(Script& script) {
  const int first = reduction_begin(script);
  const int me = (script.rank() - first + script.size()) % script.size();
  const Piece input = script.input();
  // If rank 0 computes the result for another rank, it needs memory for it.
  const bool forwarded = first != script.root();
  const Piece result = !forwarded ? Piece{Place::receive, input.type, 0, input.count}
                       : me == 0  ? script.scratch_like(input)
                                  : input;
  reduce_along(script, node_of(tree, radix, me, script.size()), first, input, result, segment_bytes);
  if (forwarded && me == 0) {
    script.send(script.root(), result);
  } else if (forwarded && script.rank() == script.root()) {
    script.receive(first, {Place::receive, input.type, 0, input.count});
  }
}

template <int segment_bytes>
void two_trees(Script& script) {
  const Piece input = script.input();
  reduce_along(script, double_tree_node(script.from_root(script.rank()), script.size()), script.root(), input,
               {Place::receive, input.type, 0, input.count}, segment_bytes);
}

template <int bytes, bool commutative>
constexpr Needs in_segments{.commutative = commutative, .segment_bytes = bytes};

}  // namespace

Rows reduce_tree() {
  return {
      row<&reduce<Tree::star, 0, 0>, Needs{.ranks = 1}>("Linear", {Family::linear}, source::thesis, "p"),
      row<&reduce<Tree::knomial, 2, 0>, Needs{.ranks = 3}>("Binomial", {Family::tree, 0, 2}, source::thakur, "log p"),
      row<&reduce<Tree::knomial, 4, 0>, Needs{.ranks = 5}>("Knomial_4", {Family::tree, 0, 4}, source::pjesivac,
                                                           "log p"),
      row<&reduce<Tree::knomial, 2, 32768>, in_segments<32768, false>>("Binomial_32k", {Family::tree, 32768, 2},
                                                                       source::pjesivac, "log p"),
      row<&reduce<Tree::binary, 0, 32768>, in_segments<32768, true>>("Binary_32k", {Family::binary, 32768},
                                                                     source::pjesivac, "log p"),
      row<&two_trees<32768>, Needs{.ranks = 3, .commutative = true, .segment_bytes = 32768}>(
          "Double_tree_32k", {Family::double_tree, 32768}, source::sanders, "log p"),
      shared_row<&reduce<Tree::star, 0, 0>, Needs{}>("Linear", {Family::linear}, source::thesis, "p"),
      shared_row<&reduce<Tree::knomial, 2, 0>, Needs{.ranks = 3}>("Binomial", {Family::tree, 0, 2}, source::thakur,
                                                                  "log p"),
      row<&reduce<Tree::chain, 0, 32768>, in_segments<32768, false>>("Chain_32k", {Family::chain, 32768},
                                                                     source::pjesivac, "p"),
  };
}

}  // namespace adcl::codelets
