/// \file enough_memory.hpp
/// What an application asks before it allocates on each rank for itself, so that all ranks end alike.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <new>

namespace apps {

/// Whether the system would give every rank so many \p bytes, which it keeps. Collective over \p comm.
inline bool enough_memory(double bytes, MPI_Comm comm) {
  constexpr double most = 9e18;  // of std::size_t
  int good = 0;
  if (bytes < most) {
    void* const memory = ::operator new(static_cast<std::size_t>(bytes), std::nothrow);
    good = memory != nullptr ? 1 : 0;
    ::operator delete(memory);
  }
  MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, comm);
  return good == 1;
}

}  // namespace apps
