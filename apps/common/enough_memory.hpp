/// \file enough_memory.hpp
/// A check before ranks allocate memory, so that all ranks end with the same result.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <new>

namespace apps {

/// Returns true if the system could give every rank \p bytes bytes; it allocates none. Collective over \p comm.
inline bool enough_memory(double bytes, MPI_Comm comm) {
  constexpr double most = 9e18;  // limit of std::size_t
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
