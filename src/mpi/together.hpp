/// \file together.hpp
/// Local work between collective calls.
#pragma once

#include <mpi.h>

#include <functional>

namespace adcl::mpi {

/// Does \p work, which is local, and throws Error on all ranks when it throws on one, so that no rank is alone in the
/// collective call that follows. Collective over \p comm.
void do_together(MPI_Comm comm, const std::function<void()>& work);

/// True when \p value is true on all ranks. Collective over \p comm.
bool all_of(MPI_Comm comm, bool value);

/// The largest \p value of all ranks. Collective over \p comm.
int maximum(MPI_Comm comm, int value);

}  // namespace adcl::mpi
