/// \file live_call.hpp
/// Calls of the library in the programs that benches start: any error ends them, with what the library says of it.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "ADCL.h"

namespace bench {

[[noreturn]] inline void fail(const char* call) {
  std::fprintf(stderr, "%s failed: %s\n", call, ADCL_Last_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

}  // namespace bench

#define OK(call)                \
  do {                          \
    if ((call) != ADCL_SUCCESS) \
      bench::fail(#call);       \
  } while (false)
