/// \file call_defects.hpp
/// Collective calls of MPI libraries that give wrong results, by the library that runs.
#pragma once

#include <optional>
#include <string>

#include "codelets/collectives/collective_problem.hpp"

namespace adcl::codelets {

/// Why the MPI library's own call must not be used for the problem, as a sentence for reports, or nothing. It may
/// differ between ranks.
std::optional<std::string> defect_of_call(const CollectiveProblem& problem);
/// Likewise of the non-blocking call.
std::optional<std::string> defect_of_nonblocking_call(const CollectiveProblem& problem);

}  // namespace adcl::codelets
