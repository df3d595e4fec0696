/// \file bcast_tree.hpp
/// A broadcast along a tree, which other operations also use.
#pragma once

#include <cstdint>
#include <span>

#include "codelets/collectives/schedule.hpp"
#include "codelets/collectives/trees.hpp"

namespace adcl::codelets {

/// Sends \p all from the root to every rank, along the tree in which this rank is \p node; nodes are counted from the
/// root. \p segment_bytes: size of a piece; 0: no segmentation.
void bcast_along(Script& script, const TreeNode& node, const Piece& all, std::int64_t segment_bytes);
/// Broadcasts along several trees; consecutive pieces use the trees in turn.
void bcast_along(Script& script, std::span<const TreeNode> trees, const Piece& all, std::int64_t segment_bytes);

}  // namespace adcl::codelets
