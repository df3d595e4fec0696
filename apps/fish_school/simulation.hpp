/// \file simulation.hpp
/// The school over time. The result is bitwise identical on any number of processes.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "exchange.hpp"

namespace fish_school {

struct Options {
  std::int64_t fish = 4096;
  int steps = 50;
  int rebalance = 10;  ///< number of steps between redistributions of the clusters
  std::uint64_t seed = 1;
  std::int64_t pause = 0;  ///< nanoseconds for each fish of a process between its sends and its receives
};

struct Record {
  std::int64_t fish = 0;       ///< number of fish at the end
  bool complete = false;       ///< no fish is missing or duplicated
  std::uint64_t checksum = 0;  ///< checksum of all positions and headings
  double polarization = 0.0;   ///< 1: all swim in the same direction
  double seconds = 0.0;        ///< time of the slowest process, without the creation of the fish
  Traffic traffic;             ///< total of all processes
  std::int64_t most_fish = 0;  ///< largest number of a process at the end
};

/// Collective; the same record on all processes.
Record simulate(const Options& options, MPI_Comm comm);

/// Returns the record for the fish of all processes. A separate function for tests, which may lose some fish.
/// Collective.
Record summarize(const Options& options, const std::vector<Fish>& fish, MPI_Comm comm);

}  // namespace fish_school
