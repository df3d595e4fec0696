/// \file reduce_tree.hpp
/// A reduction along a tree, as a part of other operations too.
#pragma once

#include <cstdint>
#include <span>

#include "codelets/collectives/schedule.hpp"
#include "codelets/collectives/trees.hpp"

namespace adcl::codelets {

/// Combines \p input of all ranks in the order of \p nodes, and leaves the result at \p result of node 0, which may be
/// where its input is. \p first: the rank that is node 0; nodes are counted from it on. In pieces of \p segment_bytes;
/// 0: in one piece. The subtrees of the tree are of consecutive nodes, or the operation is commutative.
void reduce_along(Script& script, const TreeNode& node, int first, const Piece& input, const Piece& result,
                  std::int64_t segment_bytes);
/// Along one tree, or two in turn, piece by piece.
void reduce_along(Script& script, std::span<const TreeNode> trees, int first, const Piece& input, const Piece& result,
                  std::int64_t segment_bytes);

/// The rank whose node is 0: the root, or rank 0 where the order of the ranks matters and the root's could be another.
int reduction_begin(const Script& script);

}  // namespace adcl::codelets
