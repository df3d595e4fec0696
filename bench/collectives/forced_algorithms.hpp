/// \file forced_algorithms.hpp
/// Forces each algorithm of an MPI library: communicators on which an operation always uses it.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace bench {

struct ForcedAlgorithm {
  std::string name;
  MPI_Comm comm = MPI_COMM_NULL;  ///< a duplicate of MPI_COMM_WORLD on which the operation uses this algorithm
};

/// Call before MPI_Init: lets Open MPI accept forced algorithms when it creates a communicator. Without forced
/// algorithms, its choice does not change.
void allow_forced_algorithms();

/// The algorithms of Open MPI's component `tuned` for \p operation ("alltoall"). Empty for operations with a single
/// algorithm, for nonblocking operations, and with other MPI libraries. Algorithms for two processes are excluded if
/// the communicator has more processes. Collective. Free the result with free_algorithms().
std::vector<ForcedAlgorithm> force_algorithms(const std::string& operation);

/// Collective.
void free_algorithms(std::vector<ForcedAlgorithm>& algorithms);

}  // namespace bench
