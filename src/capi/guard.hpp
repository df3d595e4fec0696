/// \file guard.hpp
/// Entry to the library and catch point of all exceptions: every function of the C interface runs inside guard().
#pragma once

#include <new>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "mpi/own_calls.hpp"

namespace adcl::capi {

/// Stores the message for ADCL_Last_error of this thread, and handles it as ADCL_ERRORS requires. An error that
/// occurred \p elsewhere is printed by its own rank. Returns the code.
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

/// Throws Error(not_initialized) outside ADCL_Init ... ADCL_Finalize, and Error(state) after MPI_Finalize.
void require_initialized();

/// guard() for calls that are allowed between ADCL_Init and ADCL_Finalize only.
template <typename Body>
int guard_initialized(const char* call, Body&& body) noexcept {
  return guard(call, [&] {
    require_initialized();
    body();
  });
}

/// Throws Error(argument) when an argument is a null pointer.
template <typename Pointer>
void require_pointer(Pointer pointer, const char* argument) {
  require(pointer != nullptr, Code::argument, argument, " is a null pointer");
}

/// Throws Error(argument) when a count is negative.
inline void require_count(int count, const char* argument) {
  require(count >= 0, Code::argument, argument, " is ", count, "; a count must be at least 0");
}

/// Copies \p size counts. Throws Error(argument) if a count is negative.
std::vector<int> counts_of(const int* counts, int size, const char* argument);

/// Stores a result of a call. Throws Error(argument) when \p target is null.
template <typename Value>
void store(Value* target, const char* argument, Value value) {
  require_pointer(target, argument);
  *target = value;
}

/// Stores an optional result; does nothing if \p target is null.
template <typename Value>
void store_optional(Value* target, Value value) {
  if (target != nullptr) {
    *target = value;
  }
}

/// Copies \p value with its terminating zero. Throws Error(argument) if \p size is too small.
void copy_text(const std::string& value, char* buffer, int size, const char* argument);

}  // namespace adcl::capi
