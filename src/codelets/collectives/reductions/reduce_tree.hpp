/// \file reduce_tree.hpp
/// A reduction along a tree, which other operations also use.
#pragma once

#include <cstdint>
#include <span>

#include "codelets/collectives/schedule.hpp"
#include "codelets/collectives/trees.hpp"

namespace adcl::codelets {

/// Combines \p input of all ranks in the order of the nodes, and stores the result in \p result of node 0, which may be
/// the same memory as its input. \p first: the rank that is node 0; the following ranks are the next nodes.
/// \p segment_bytes: size of a piece; 0: no segmentation. Requires a commutative operation unless each subtree consists
/// of consecutive nodes.
void reduce_along(Script& script, const TreeNode& node, int first, const Piece& input, const Piece& result,
                  std::int64_t segment_bytes);
/// Reduces along one tree, or along two trees that consecutive pieces use in turn.
void reduce_along(Script& script, std::span<const TreeNode> trees, int first, const Piece& input, const Piece& result,
                  std::int64_t segment_bytes);

/// The rank that is node 0: the root, or rank 0 if the order of the ranks matters and a reduction that begins at the
/// root would change it.
int reduction_begin(const Script& script);

}  // namespace adcl::codelets
