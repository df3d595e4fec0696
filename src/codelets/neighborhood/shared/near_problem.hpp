/// \file near_problem.hpp
/// What the codelets that use memory ask of a halo problem.
#pragma once

#include <optional>
#include <string>

#include "codelets/neighborhood/halo_problem.hpp"
#include "codelets/neighborhood/packed_region.hpp"

namespace adcl::codelets {

/// Why memory is of no use to the problem, or cannot carry its data; or nothing.
inline std::optional<std::string> without_shared_memory(const HaloProblem& problem) {
  const int size = problem.neighborhood.size;
  if (problem.nodes != nullptr && problem.nodes->count == size && size > 1) {
    return "every process is on a node of its own";
  }
  return PackedRegion::applicable(problem);
}

}  // namespace adcl::codelets
