#include "codelets/neighborhood/other_nodes_first.hpp"

#include <set>

namespace adcl::codelets {

std::optional<std::string> without_distances(const HaloProblem& problem) {
  const auto& nodes = problem.node_of_rank;
  const std::size_t different = std::set<int>(nodes.begin(), nodes.end()).size();
  if (different <= 1) {
    return "all processes are on one node";
  }
  if (different == nodes.size()) {
    return "each process is on a node of its own";
  }
  return std::nullopt;
}

}  // namespace adcl::codelets
