/// \file simulation.hpp
/// The wave equation in a rectangle with one or a few rows per process: very little computation between messages.
#pragma once

#include <mpi.h>

namespace wave {

struct Options {
  int width = 640;  ///< points of a row, 8 bytes each; a message contains one row
  int rows = 1;     ///< rows of each process
  int steps = 100000;
};

struct Record {
  double error = 0.0;    ///< largest difference from the exact solution of the discrete equation
  double seconds = 0.0;  ///< time of the slowest process
};

/// Limit for rounding errors after all steps; a missing row causes a much larger error.
double tolerance(const Options& options) noexcept;

/// Collective; the record is the same on all processes. With \p spoil, process 0 modifies one received value.
Record simulate(const Options& options, MPI_Comm comm, bool spoil = false);

}  // namespace wave
