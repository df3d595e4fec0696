/// \file nodes.hpp
/// Nodes from a map of all of them, which the library never has. Pure.
#pragma once

#include <vector>

#include "core/nodes.hpp"

namespace adcl::test {

/// What \p rank must see: equal numbers in \p node_of_rank, which has one entry per rank, are one node.
Nodes nodes_seen(const std::vector<int>& node_of_rank, int rank);

}  // namespace adcl::test
