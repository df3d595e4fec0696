/// \file adcl_call.hpp
/// Calls of the library in benches: an error ends the program with the library's message.
#pragma once

#include <ADCL.h>
#include <mpi.h>

#include <cstdio>

namespace bench {

/// Ends the program with ADCL's message if \p code is an error.
inline void check(int code, const char* call) {
  if (code != ADCL_SUCCESS) {
    std::fprintf(stderr, "%s: %s (%s)\n", call, ADCL_Error_string(code), ADCL_Last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

}  // namespace bench
