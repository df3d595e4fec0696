/// \file clock.hpp
/// A clock that the ranks of a node share, as an offset to each rank's MPI_Wtime, and the time for which other
/// processes use a yielded core.
#pragma once

namespace adcl::mpi {

/// Offset in seconds from this rank's MPI_Wtime to a clock that all ranks of a node share. In some libraries MPI_Wtime
/// starts at 0 in each process; the system's monotonic clock is common to all of them. 0 if MPI_WTIME_IS_GLOBAL is set.
/// Measured at the first call. Local.
double node_clock_offset_s();

/// Yields this process's core to other processes; returns the seconds until this process ran again. Local.
double yield_core_s();

}  // namespace adcl::mpi
