/// \file user_call.hpp
/// Failures of functions that the application has written: codelets, and the work of ADCL_Request_start_overlap.
#pragma once

#include <mpi.h>

#include <string>

#include "core/error.hpp"

namespace adcl::runtime {

/// How often this thread has called ADCL_Error_set. A codelet returns nothing, so what calls it compares this number
/// before and after. The storage model is that of mpi::own_calls_depth, and so is the reason.
#ifdef SMPI_H
extern constinit thread_local unsigned reported_failures;
#else
extern constinit thread_local unsigned reported_failures __attribute__((tls_model("initial-exec")));
#endif

/// Called by ADCL_Error_set: keeps the failure for the codelet that runs on this thread, if one does.
void report_failure(Code code, const char* message);

/// What this thread has reported last, as the failure of \p function, such as "codelet 'ring'". It is shown already, so
/// it counts as one that happened elsewhere. Local.
[[nodiscard]] Error reported_failure(const std::string& function);

/// The exception that is being handled, which \p function threw, as Error(callback). Called in a catch block.
[[nodiscard]] Error thrown_failure(const std::string& function);

}  // namespace adcl::runtime
