/// \file call_defects.hpp
/// Defects of the MPI library at run time, in collective calls and in the messages of codelets.
#pragma once

#include <optional>
#include <string>

#include "codelets/collectives/collective_problem.hpp"

namespace adcl::codelets {

/// Reason why the MPI library's own call must not be used for the problem, as a sentence for reports, or nothing. Ranks
/// may return different results: the codelet is not applicable if any rank returns a reason.
std::optional<std::string> defect_of_call(const CollectiveProblem& problem);
/// Like defect_of_call(), for the nonblocking call.
std::optional<std::string> defect_of_nonblocking_call(const CollectiveProblem& problem);

/// True if the MPI library reports a truncation error for long messages that are sent packed and received into entries
/// of basic datatypes of different sizes (mpi::Element::mixed).
bool truncates_mixed_messages(const Machine& machine);

}  // namespace adcl::codelets
