/// \file user_call.hpp
/// Calls of user-defined functions, and their failures.
#pragma once

#include <string>

#include "core/error.hpp"
#include "core/plan.hpp"

namespace adcl::runtime {

struct Function;
class Request;

/// A plan that calls the functions of a codelet with the request's handle. MPI cannot test whether a user's function is
/// complete, so test() completes the operation with the wait function.
///
/// A function fails on this rank if it throws an exception or calls ADCL_Error_set. Then the operation ends here
/// without the wait function, and the request is notified: all ranks drop the codelet at their next agreement.
PlanPointer user_plan(const Function& function, Request& request);

/// Called by ADCL_Error_set: stores the failure for the codelet that runs on this thread, if any.
void report_failure(Code code, const char* message);

/// Converts the current exception, which \p function threw, to Error(callback). Example of \p function: "codelet
/// 'ring'". Call it in a catch block.
[[nodiscard]] Error thrown_failure(const std::string& function);

}  // namespace adcl::runtime
