#include "codelets/neighborhood/node/other_nodes_first.hpp"

namespace adcl::codelets {

std::optional<std::string> without_distances(const HaloProblem& problem) {
  // Both numbers are the same on all ranks, and so is the answer.
  const int nodes = problem.nodes != nullptr ? problem.nodes->count : 1;
  if (nodes <= 1) {
    return "all processes are on one node";
  }
  if (nodes == problem.neighborhood.size) {
    return "each process is on a node of its own";
  }
  return std::nullopt;
}

}  // namespace adcl::codelets
