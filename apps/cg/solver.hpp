/// \file solver.hpp
/// The inverse power method with 25 steps of conjugate gradients for each solution.
#pragma once

#include <mpi.h>

#include "problem.hpp"

namespace cg {

struct Record {
  int rows = 0;  ///< of the grid of processes
  int columns = 0;
  double zeta = 0.0;
  double residual = 0.0;  ///< of the last solution
  double seconds = 0.0;   ///< without making the matrix and one iteration before, on the slowest process
};

/// Collective; the same on all processes. Throws apps::UsageError as Grid does.
Record solve(const ProblemClass& problem, MPI_Comm comm);

}  // namespace cg
