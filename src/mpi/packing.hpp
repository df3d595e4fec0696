/// \file packing.hpp
/// MPI_Pack and MPI_Unpack of one datatype, right on every MPI library.
#pragma once

#include <mpi.h>

#include "mpi/datatype.hpp"

namespace adcl::mpi {

/// Appends the data of \p type at \p array to \p buffer of \p bytes bytes, behind \p position, which moves on. Local.
/// What is packed can be unpacked on every communicator, as by all libraries known. Throws Error(mpi).
void pack(const void* array, const Datatype& type, void* buffer, int bytes, int& position);

/// The reverse: takes the data from \p position on.
void unpack(const void* buffer, int bytes, int& position, void* array, const Datatype& type);

}  // namespace adcl::mpi
