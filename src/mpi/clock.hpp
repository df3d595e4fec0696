/// \file clock.hpp
/// A clock that the ranks of a node share: what each of them adds to its MPI_Wtime.
#pragma once

namespace adcl::mpi {

/// What is added to this rank's MPI_Wtime to have a clock that all ranks of a node share: libraries let MPI_Wtime begin
/// at 0 in each process, but the system's monotonic clock is the same for all of them. 0 where the library says that
/// MPI_Wtime is the same clock everywhere (MPI_WTIME_IS_GLOBAL). Found at the first call. Local.
double node_clock_offset_s();

}  // namespace adcl::mpi
