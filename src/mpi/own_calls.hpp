/// \file own_calls.hpp
/// Whose the MPI calls of a thread are: the library's own, or the application's. A library that stands in front of MPI
/// asks, by ADCL_Inside(), so that it lets the former through untouched.
#pragma once

#include <mpi.h>

namespace adcl::mpi {

/// Nested calls of the library that this thread is in; 0 in the application. Read and written on the path of every
/// start, so the compiler may assume that it has its place from the beginning. (Not in SMPI, which loads a copy of the
/// program for each rank, and has such places for some 25 only.)
#ifdef SMPI_H
extern constinit thread_local int own_calls_depth;
#else
extern constinit thread_local int own_calls_depth __attribute__((tls_model("initial-exec")));
#endif

/// While it lives, the MPI calls of this thread are the library's own. Every way into the library begins with one: the
/// C interface, and what MPI calls back when attributes are deleted.
///
/// It puts back what it found instead of counting down: each count would wait for the store before it, and of these
/// waits most of the time of a start would consist.
class OwnCalls {
 public:
  OwnCalls() noexcept : before_(own_calls_depth) { own_calls_depth = before_ + 1; }
  ~OwnCalls() { own_calls_depth = before_; }
  OwnCalls(const OwnCalls&) = delete;
  OwnCalls& operator=(const OwnCalls&) = delete;

 private:
  int before_;
};

/// While it lives, they are the application's: one of its functions runs inside a call of the library.
class ApplicationCalls {
 public:
  ApplicationCalls() noexcept : depth_(own_calls_depth) { own_calls_depth = 0; }
  ~ApplicationCalls() { own_calls_depth = depth_; }
  ApplicationCalls(const ApplicationCalls&) = delete;
  ApplicationCalls& operator=(const ApplicationCalls&) = delete;

 private:
  int depth_;
};

}  // namespace adcl::mpi
