/// \file user_call.hpp
/// Failures of user-defined functions: codelets, and the work of ADCL_Request_start_overlap.
#pragma once

#include <mpi.h>

#include <string>

#include "core/error.hpp"

namespace adcl::runtime {

/// Number of calls of ADCL_Error_set on this thread. A codelet returns nothing, so its caller compares this number
/// before and after. See mpi::own_calls_depth for the storage model and its reason.
#ifdef SMPI_H
extern constinit thread_local unsigned reported_failures;
#else
extern constinit thread_local unsigned reported_failures __attribute__((tls_model("initial-exec")));
#endif

/// Called by ADCL_Error_set: stores the failure for the codelet that runs on this thread, if any.
void report_failure(Code code, const char* message);

/// The last failure that this thread reported, as a failure of \p function, such as "codelet 'ring'". Its message was
/// already shown, so it counts as one that happened elsewhere. Local.
[[nodiscard]] Error reported_failure(const std::string& function);

/// The current exception, which \p function threw, as Error(callback). Call it in a catch block.
[[nodiscard]] Error thrown_failure(const std::string& function);

}  // namespace adcl::runtime
