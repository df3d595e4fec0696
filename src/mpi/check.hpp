/// \file check.hpp
/// Converts result codes of MPI to exceptions.
#pragma once

#include <mpi.h>

namespace adcl::mpi {

/// Throws Error(Code::mpi) with MPI's error message.
[[noreturn]] void fail(int code, const char* call);

/// Checks the result of an MPI call. Communicators and windows of the library return errors instead of aborting.
inline void check(int code, const char* call) {
  if (code != MPI_SUCCESS) [[unlikely]] {
    fail(code, call);
  }
}

}  // namespace adcl::mpi
