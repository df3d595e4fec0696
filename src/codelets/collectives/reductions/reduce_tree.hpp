/// \file reduce_tree.hpp
/// A reduction along a tree, which other operations also use.
#pragma once

#include <cstdint>
#include <span>

#include "codelets/collectives/schedule.hpp"
#include "codelets/collectives/trees.hpp"

namespace adcl::codelets {

/// Combines \p input of all ranks in the order of the nodes, and stores the result in \p result of node 0, which may be
/// the same memory as its input. \p first: the rank that is node 0; the following ranks are the next nodes. In pieces
/// of \p segment_bytes; 0: in one piece. Either each subtree consists of consecutive nodes, or the operation is
/// commutative.
void reduce_along(Script& script, const TreeNode& node, int first, const Piece& input, const Piece& result,
                  std::int64_t segment_bytes);
/// The same along one tree, or along two trees, which the pieces use in turn.
void reduce_along(Script& script, std::span<const TreeNode> trees, int first, const Piece& input, const Piece& result,
                  std::int64_t segment_bytes);

/// The rank that is node 0: the root, or rank 0 if the order of the ranks matters and a reduction that begins at the
/// root would change it.
int reduction_begin(const Script& script);

}  // namespace adcl::codelets
