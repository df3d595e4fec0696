/// \file call_defects.hpp
/// Defects of MPI libraries in collective calls and in the messages of codelets, by the library that runs.
#pragma once

#include <optional>
#include <string>

#include "codelets/collectives/collective_problem.hpp"

namespace adcl::codelets {

/// Why the MPI library's own call must not be used for the problem, as a sentence for reports, or nothing. Ranks may
/// differ: a request is created without the codelet where any rank gives a reason.
std::optional<std::string> defect_of_call(const CollectiveProblem& problem);
/// Likewise of the non-blocking call.
std::optional<std::string> defect_of_nonblocking_call(const CollectiveProblem& problem);

/// The MPI library calls long messages truncated that are sent as packed and received into entries of basic datatypes
/// of different sizes (mpi::Element::mixed).
bool truncates_mixed_messages(const Machine& machine);

}  // namespace adcl::codelets
