/// \file bcast_tree.hpp
/// A broadcast along a tree, which other operations also use.
#pragma once

#include <cstdint>
#include <span>

#include "codelets/collectives/schedule.hpp"
#include "codelets/collectives/trees.hpp"

namespace adcl::codelets {

/// Sends \p all from the root to every rank, along the tree in which this rank is \p node; nodes are counted from the
/// root. In pieces of \p segment_bytes; 0: in one piece.
void bcast_along(Script& script, const TreeNode& node, const Piece& all, std::int64_t segment_bytes);
/// The same along several trees, which the pieces use in turn.
void bcast_along(Script& script, std::span<const TreeNode> trees, const Piece& all, std::int64_t segment_bytes);

}  // namespace adcl::codelets
