/// \file bcast_tree.hpp
/// A broadcast along a tree, as a part of other operations too.
#pragma once

#include <cstdint>
#include <span>

#include "codelets/collectives/schedule.hpp"
#include "codelets/collectives/trees.hpp"

namespace adcl::codelets {

/// Brings \p all from the root to every rank, along the tree in which this rank is \p node; nodes are counted from the
/// root on. In pieces of \p segment_bytes; 0: in one piece.
void bcast_along(Script& script, const TreeNode& node, const Piece& all, std::int64_t segment_bytes);
/// Along several trees, whose turn it is piece by piece.
void bcast_along(Script& script, std::span<const TreeNode> trees, const Piece& all, std::int64_t segment_bytes);

}  // namespace adcl::codelets
