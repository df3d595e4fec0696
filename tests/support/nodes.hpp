/// \file nodes.hpp
/// Nodes from a map of all nodes, which the library never stores. Pure.
#pragma once

#include <vector>

#include "core/machine.hpp"

namespace adcl::test {

/// The expected nodes from the view of \p rank. \p node_of_rank has one entry per rank; equal numbers mean the same
/// node.
Nodes nodes_seen(const std::vector<int>& node_of_rank, int rank);

}  // namespace adcl::test
