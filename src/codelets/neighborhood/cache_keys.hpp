/// \file cache_keys.hpp
/// Keys under which the codelets of the neighborhood store windows and communicators in the context, so that codelets
/// of one request (one topology) share them. Keys are the same on all ranks.
#pragma once

#include "codelets/neighborhood/halo_problem.hpp"
#include "mpi/context.hpp"

namespace adcl::codelets {

enum class WindowKind {
  receive_array,
  send_array,
  receive_array_in_steps,  ///< exposed to one neighbor at a time
  send_array_in_steps,
  notified_array  ///< locked for the life of the plan
};
enum class CommunicatorKind { graph };

inline mpi::ObjectKey window_key(const HaloProblem& problem, WindowKind kind) {
  return {"neighborhood", problem.request_id, static_cast<int>(kind)};
}

inline mpi::ObjectKey communicator_key(const HaloProblem& problem, CommunicatorKind kind) {
  return {"neighborhood", problem.topology_id, static_cast<int>(kind)};
}

}  // namespace adcl::codelets
