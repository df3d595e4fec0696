/// \file packing.hpp
/// MPI_Pack and MPI_Unpack of one datatype, right on every MPI library.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "mpi/datatype.hpp"

namespace adcl::mpi {

/// Appends the data of \p type at \p array to \p buffer of \p bytes bytes, behind \p position, which moves on. Local.
/// What is packed can be unpacked on every communicator, as by all libraries known. Throws Error(mpi).
void pack(const void* array, const Datatype& type, void* buffer, int bytes, int& position);

/// The reverse: takes the data from \p position on.
void unpack(const void* buffer, int bytes, int& position, void* array, const Datatype& type);

/// Packs \p count entries of \p type, one after the other, into as many bytes as they have data. Local. Throws
/// Error(mpi).
void pack_entries(const std::byte* array, std::int64_t count, const Element& type, std::byte* packed);

/// The reverse. Bytes of the array between and within entries that are not data stay as they are.
void unpack_entries(const std::byte* packed, std::byte* array, std::int64_t count, const Element& type);

}  // namespace adcl::mpi
