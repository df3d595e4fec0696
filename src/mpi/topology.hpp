/// \file topology.hpp
/// Inquiry for a communicator's process topology.
#pragma once

#include <mpi.h>

namespace adcl::mpi {

/// MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH or MPI_UNDEFINED. Local.
int topology_kind(MPI_Comm comm);

}  // namespace adcl::mpi
