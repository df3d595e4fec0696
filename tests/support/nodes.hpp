/// \file nodes.hpp
/// Nodes from a map of all nodes, which the library never has. Pure.
#pragma once

#include <vector>

#include "core/nodes.hpp"

namespace adcl::test {

/// Nodes as \p rank must see them. \p node_of_rank has one entry per rank; equal numbers mean the same node.
Nodes nodes_seen(const std::vector<int>& node_of_rank, int rank);

}  // namespace adcl::test
