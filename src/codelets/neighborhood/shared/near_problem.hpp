/// \file near_problem.hpp
/// Requirements of the codelets that use shared memory.
#pragma once

#include <optional>
#include <string>

#include "codelets/neighborhood/halo_problem.hpp"
#include "codelets/neighborhood/packed_region.hpp"

namespace adcl::codelets {

/// Reason why shared memory does not benefit the problem or cannot transfer its data, or nothing.
inline std::optional<std::string> without_shared_memory(const HaloProblem& problem) {
  const int size = problem.neighborhood.size;
  if (problem.nodes != nullptr && problem.nodes->count == size && size > 1) {
    return "every process is on a different node";
  }
  return PackedRegion::applicable(problem);
}

}  // namespace adcl::codelets
