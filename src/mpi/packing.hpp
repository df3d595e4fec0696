/// \file packing.hpp
/// MPI_Pack and MPI_Unpack of one datatype, with workarounds for defects of MPI libraries.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "mpi/datatype.hpp"

namespace adcl::mpi {

/// Appends the data of \p type at \p array to \p buffer of \p bytes bytes at \p position, and advances \p position.
/// Local. All known libraries can unpack the data on every communicator. Throws Error(mpi).
void pack(const void* array, const Datatype& type, void* buffer, int bytes, int& position);

/// Inverse of pack(): reads the data from \p position on, and advances \p position.
void unpack(const void* buffer, int bytes, int& position, void* array, const Datatype& type);

/// Packs \p count entries of \p type one after the other; the result has count * size bytes. Local. Throws Error(mpi).
void pack_entries(const std::byte* array, std::int64_t count, const Element& type, std::byte* packed);

/// Inverse of pack_entries(). Bytes of the array that are not data, between and within entries, are not modified.
void unpack_entries(const std::byte* packed, std::byte* array, std::int64_t count, const Element& type);

}  // namespace adcl::mpi
