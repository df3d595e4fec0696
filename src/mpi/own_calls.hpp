/// \file own_calls.hpp
/// Whether a thread's MPI calls come from the library or from the application. A library that intercepts MPI calls
/// ADCL_Inside() to pass the library's calls through unchanged.
#pragma once

#include <mpi.h>

namespace adcl::mpi {

/// Depth of nested library calls in this thread; 0 in the application. Every start reads and writes it, so it uses the
/// initial-exec TLS model. (Not in SMPI, which loads a copy of the program for each rank and has static TLS space for
/// only about 25 copies.)
#ifdef SMPI_H
extern constinit thread_local int own_calls_depth;
#else
extern constinit thread_local int own_calls_depth __attribute__((tls_model("initial-exec")));
#endif

/// While this object exists, the MPI calls of this thread count as the library's. Every entry into the library creates
/// such an object: the C interface, and the callbacks in which MPI deletes attributes.
///
/// The destructor restores the previous value instead of decrementing: a decrement would have to wait for the preceding
/// store, and such waits would dominate the time of a start.
class OwnCalls {
 public:
  OwnCalls() noexcept : before_(own_calls_depth) { own_calls_depth = before_ + 1; }
  ~OwnCalls() { own_calls_depth = before_; }
  OwnCalls(const OwnCalls&) = delete;
  OwnCalls& operator=(const OwnCalls&) = delete;

 private:
  int before_;
};

/// While this object exists, the MPI calls of this thread count as the application's: a function of the application
/// runs inside a call of the library. Afterward the depth is 1. Any nonzero depth is correct, because every OwnCalls
/// restores the depth that it found.
class ApplicationCalls {
 public:
  ApplicationCalls() noexcept { own_calls_depth = 0; }
  ~ApplicationCalls() { own_calls_depth = 1; }
  ApplicationCalls(const ApplicationCalls&) = delete;
  ApplicationCalls& operator=(const ApplicationCalls&) = delete;
};

}  // namespace adcl::mpi
