/// \file context.hpp
/// The machine of a measurement: MPI library, ranks, hosts, cores.
#pragma once

#include <mpi.h>

#include <string>

namespace adcl::bench {

/// True if the MPI library is SMPI, a simulator: all ranks share one process, and computation takes no time.
#ifdef SMPI_H
inline constexpr bool simulator = true;
#else
inline constexpr bool simulator = false;
#endif

/// Name and version of the MPI library, parsed from MPI_Get_library_version.
struct Library {
  std::string name;
  std::string version;
};
Library library_of(const std::string& description);

struct Machine {
  Library library;
  std::string mpi_standard;
  int ranks = 1;
  int hosts = 1;
  int max_ranks_per_host = 1;
  int min_cores_per_host = 1;
  bool simulated = false;
  /// More ranks than cores on some host. A simulator's hosts have a core for each of their ranks.
  bool oversubscribed = false;
  /// MPI_Wtime is synchronized between all ranks (MPI_WTIME_IS_GLOBAL).
  bool global_clock = false;
};

/// Collective.
Machine find_machine(MPI_Comm comm);

}  // namespace adcl::bench
