/// \file solver.hpp
/// The inverse power method with 25 steps of conjugate gradients for each solution.
#pragma once

#include <mpi.h>

#include "problem.hpp"

namespace cg {

struct Record {
  int rows = 0;  ///< rows of the process grid
  int columns = 0;
  double zeta = 0.0;
  double residual = 0.0;  ///< residual of the last solution
  double seconds = 0.0;   ///< time of the slowest process, without the creation of the matrix and the first iteration
};

/// Collective; the result is the same on all processes. Throws apps::UsageError like Grid.
Record solve(const ProblemClass& problem, MPI_Comm comm);

}  // namespace cg
