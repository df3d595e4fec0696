/// \file simulation.hpp
/// The computation from beginning to end: time steps, time measurement, and the check of the answer.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "exchange.hpp"
#include "grid.hpp"
#include "options.hpp"

namespace solver3d {

/// All printed results, the same on all ranks. Times are seconds, maxima over all ranks.
struct Record {
  std::string mpi;  ///< version string of the MPI library
  int ranks = 0;
  Extents processes{};
  Extents block{};
  Extents points{};
  std::string exchange;
  bool overlap = false;

  double tolerance = 0.0;
  int iterations = 0;
  int steps = 0;          ///< time steps solved to the tolerance
  bool complete = false;  ///< no step is unfinished
  int restarts = 0;       ///< restarts of TFQMR after breakdowns

  double residual_bound = 0.0;  ///< relative to the right side; from TFQMR's recurrences
  double residual = 0.0;        ///< the same, recomputed from the solution
  double residual_limit = 0.0;  ///< largest value that is consistent with the bound
  double error_max = 0.0;       ///< relative to the manufactured solution; maximum, and Euclidean norm
  double error = 0.0;
  double error_limit = 0.0;  ///< largest error that the order of the discretization and the residual allow
  std::uint64_t solution_checksum = 0;
  std::uint64_t history_checksum = 0;  ///< checksum of the residual bounds of all iterations

  double setup_s = 0.0;
  double total_s = 0.0;
  double exchange_s = 0.0;
  double reduction_s = 0.0;
  int exchanges = 0;
  double exchange_mean_s = 0.0;  ///< per exchange; for an exchange that tunes itself, after the search

  std::unique_ptr<Tuning> tuning;

  [[nodiscard]] bool residual_agrees() const { return residual <= residual_limit; }
  [[nodiscard]] bool error_agrees() const { return error <= error_limit; }
  [[nodiscard]] bool correct() const { return residual_agrees() && error_agrees(); }
};

/// The method cannot continue; thrown on all ranks.
class SolverError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Called on every rank after every iteration with the completed share, 0 to 1.
using Observer = std::function<void(double done)>;

/// Runs the computation with the exchange that \p make creates. Collective over \p comm. Throws SolverError and the
/// errors of the exchange.
Record simulate(const Options& options, MakeExchange make, MPI_Comm comm, const Observer& observer);

/// Like the function above, with the exchange that the options select.
Record simulate(const Options& options, MPI_Comm comm, const Observer& observer);

}  // namespace solver3d
