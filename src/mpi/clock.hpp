/// \file clock.hpp
/// A clock that the ranks of a node share, as an offset to each rank's MPI_Wtime.
#pragma once

namespace adcl::mpi {

/// Offset in seconds from this rank's MPI_Wtime to a clock that all ranks of a node share. In some libraries MPI_Wtime
/// starts at 0 in each process; the system's monotonic clock is common to all of them. 0 if MPI_WTIME_IS_GLOBAL is set.
/// Measured at the first call. Local.
double node_clock_offset_s();

}  // namespace adcl::mpi
