/// \file topology.hpp
/// Asks which process topology a communicator has.
#pragma once

#include <mpi.h>

namespace adcl::mpi {

/// MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH or MPI_UNDEFINED. Local.
int topology_kind(MPI_Comm comm);

}  // namespace adcl::mpi
