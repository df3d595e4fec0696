/// \file forced_algorithms.hpp
/// Each algorithm of an MPI library, forced: communicators on which an operation always takes it.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace bench {

struct ForcedAlgorithm {
  std::string name;
  MPI_Comm comm = MPI_COMM_NULL;  ///< a duplicate of MPI_COMM_WORLD on which the operation takes this algorithm
};

/// To be called before MPI_Init: has Open MPI ask for forced algorithms when it makes a communicator. Without any that
/// are forced it chooses as it always does.
void allow_forced_algorithms();

/// The algorithms of Open MPI's component `tuned` for \p operation ("alltoall"); none for operations of which it has
/// one only, for those for overlap, and with other MPI libraries. Left out are those for two processes where there are
/// others. Collective. Free with free_algorithms().
std::vector<ForcedAlgorithm> force_algorithms(const std::string& operation);

/// Collective.
void free_algorithms(std::vector<ForcedAlgorithm>& algorithms);

}  // namespace bench
