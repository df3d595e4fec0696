/// \file simulation.hpp
/// The school over time, on any number of processes with the same result to the bit.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "exchange.hpp"

namespace fish_school {

struct Options {
  std::int64_t fish = 4096;
  int steps = 50;
  int rebalance = 10;  ///< clusters are given to processes anew every so many steps
  std::uint64_t seed = 1;
};

struct Record {
  std::int64_t fish = 0;       ///< at the end
  bool complete = false;       ///< exactly the fish that were there at the beginning
  std::uint64_t checksum = 0;  ///< of all positions and headings
  double polarization = 0.0;   ///< 1: all swim in the same direction
  double seconds = 0.0;        ///< of the slowest process, without making the fish
  Traffic traffic;             ///< of all processes together
  std::int64_t most_fish = 0;  ///< that a process had at the end
};

/// Collective; the same record on all processes.
Record simulate(const Options& options, MPI_Comm comm);

/// What a record says about the fish that a process has; for tests, which may lose some. Collective.
Record summarize(const Options& options, const std::vector<Fish>& fish, MPI_Comm comm);

}  // namespace fish_school
