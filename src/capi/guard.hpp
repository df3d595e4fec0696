/// \file guard.hpp
/// Entry to the library and catch point of all exceptions: every function of the C interface runs inside guard().
#pragma once

#include <new>
#include <string>

#include "core/error.hpp"
#include "mpi/own_calls.hpp"

namespace adcl::capi {

/// Stores the message for ADCL_Last_error of this thread, and handles it as ADCL_ERRORS requires; if the error occurred
/// \p elsewhere, that rank prints it. Returns the code.
int fail(const char* call, Code code, const char* message, bool elsewhere = false) noexcept;

/// Runs \p body and converts exceptions to a code and a message that begins with \p call. MPI calls in \p body count as
/// the library's own.
template <typename Body>
int guard(const char* call, Body&& body) noexcept {
  const mpi::OwnCalls own;
  try {
    body();
    return 0;
  } catch (const Error& error) {
    return fail(call, error.code(), error.what(), error.elsewhere());
  } catch (const std::bad_alloc&) {
    return fail(call, Code::memory, "out of memory");
  } catch (const std::exception& error) {
    return fail(call, Code::internal, error.what());
  } catch (...) {
    return fail(call, Code::internal, "an exception that is not a std::exception");
  }
}

/// Throws Error(argument) when an argument is a null pointer.
inline void require_pointer(const void* pointer, const char* argument) {
  require(pointer != nullptr, Code::argument, argument, " is a null pointer");
}

/// Throws Error(not_initialized) outside ADCL_Init ... ADCL_Finalize, and Error(state) after MPI_Finalize.
void require_initialized();

/// Copies \p value with its terminating zero. Throws Error(argument) if \p size bytes are too few.
void copy_text(const std::string& value, char* buffer, int size, const char* argument);

}  // namespace adcl::capi
