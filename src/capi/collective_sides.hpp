/// \file collective_sides.hpp
/// The send and receive sides of a collective operation, from the arguments of the C interface.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "data/vector.hpp"
#include "data/vmap.hpp"

namespace adcl::capi {

/// The array of one side, and the vmap of the entries that are communicated.
struct Side {
  std::shared_ptr<data::Vector> vector;
  std::shared_ptr<data::Vmap> vmap;
};

/// Throws Error(argument) when \p count is negative.
void require_count(int count, const char *argument);

/// Copies \p size counts. Throws Error(argument) when one is negative.
std::vector<int> counts_of(const int *counts, int size, const char *argument);

/// Returns an array of \p entries. \p address may be null if there are no data, or if the displacements of \p type are
/// addresses: MPI_BOTTOM is a null pointer in many MPI libraries.
std::shared_ptr<data::Vector> array(const void *address, std::int64_t entries, MPI_Datatype type, const char *argument);

/// The side for MPI_IN_PLACE.
Side in_place();

/// \p count entries for each of \p ranks ranks.
Side blocks(const void *address, int count, int ranks, MPI_Datatype type, const char *buffer, const char *argument);

/// A list of blocks, one for each rank.
Side list(const void *address, const int *counts, const int *displs, int size, MPI_Datatype type, const char *buffer,
          const char *argument);

/// A list of blocks, each with a displacement in bytes and a datatype.
Side listw(const void *address, const int *counts, const int *displs, const MPI_Datatype *types, int size,
           const char *buffer, const char *argument);

}  // namespace adcl::capi
