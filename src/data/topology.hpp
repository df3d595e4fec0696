/// \file topology.hpp
/// Process topologies, from communicators or user-defined.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "core/neighborhood.hpp"
#include "mpi/context.hpp"

namespace adcl::data {

/// A process topology. The functions below create it; they are collective over the communicator.
struct Topology {
  std::shared_ptr<mpi::Context> context;
  Neighborhood neighborhood;
  bool has_neighbors = false;  ///< the communicator or the caller defines neighbors
  std::int64_t id = 0;         ///< the same on all ranks
  int root = 0;
};

std::shared_ptr<Topology> topology_of(MPI_Comm comm, int root);
std::shared_ptr<Topology> generic_topology(int ndims, const int* lneighbors, const int* rneighbors, const int* coords,
                                           int direction, MPI_Comm comm);
std::shared_ptr<Topology> extended_topology(MPI_Comm cart_comm);

}  // namespace adcl::data
