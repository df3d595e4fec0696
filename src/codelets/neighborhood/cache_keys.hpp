/// \file cache_keys.hpp
/// Under which keys the codelets of the neighbourhood keep windows and communicators in the context, so that codelets
/// of one request (one topology) share them.
#pragma once

#include <cstdint>

#include "core/halo_problem.hpp"

namespace adcl::codelets {

enum class WindowKind {
  receive_array,
  send_array,
  receive_array_in_steps,  ///< exposed to one neighbour at a time
  send_array_in_steps,
  notified_array,  ///< locked for the life of the plan
  count
};
enum class CommunicatorKind { graph, node, count };

/// The same on all ranks.
inline std::int64_t window_key(const HaloProblem& problem, WindowKind kind) {
  return problem.request_id * static_cast<std::int64_t>(WindowKind::count) + static_cast<std::int64_t>(kind);
}

/// The same on all ranks.
inline std::int64_t communicator_key(const HaloProblem& problem, CommunicatorKind kind) {
  return problem.topology_id * static_cast<std::int64_t>(CommunicatorKind::count) + static_cast<std::int64_t>(kind);
}

}  // namespace adcl::codelets
