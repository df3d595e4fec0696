/// \file simulation.hpp
/// The wave equation in a rectangle that is cut into one row or a few for each process: hardly any computing between
/// messages.
#pragma once

#include <mpi.h>

namespace wave {

struct Options {
  int width = 640;  ///< points of a row, 8 bytes each: what one message carries
  int rows = 1;     ///< of each process
  int steps = 100000;
};

struct Record {
  double error = 0.0;    ///< the largest difference from the exact solution of the discrete equation
  double seconds = 0.0;  ///< of the slowest process
};

/// What rounding may amount to after so many steps; a row that was not received is far beyond.
double tolerance(const Options& options) noexcept;

/// Collective; the same record on all processes. With \p spoil process 0 alters one value that it received.
Record simulate(const Options& options, MPI_Comm comm, bool spoil = false);

}  // namespace wave
