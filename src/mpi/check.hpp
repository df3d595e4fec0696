/// \file check.hpp
/// Turns result codes of MPI into exceptions.
#pragma once

#include <mpi.h>

namespace adcl::mpi {

/// Throws Error(Code::mpi) with MPI's own text.
[[noreturn]] void fail(int code, const char* call);

/// For every MPI call of the library: communicators and windows of the library return errors instead of aborting.
inline void check(int code, const char* call) {
  if (code != MPI_SUCCESS) [[unlikely]] {
    fail(code, call);
  }
}

}  // namespace adcl::mpi
