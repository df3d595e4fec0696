/// \file exchanges.hpp
/// The solver of apps/unstructured with each of its hand-written exchanges, and with ADCL.
#pragma once

#include "rounds.hpp"

namespace demo {

struct SolverSize {
  int points = 300;  ///< per rank
  int fields = 4;
  int levels = 3;
};

/// Collective over MPI_COMM_WORLD.
Comparison compare_exchanges(const SolverSize& size, const Limits& limits);

}  // namespace demo
