/// \file clock.hpp
/// A clock that ranks share: what each of them adds to its MPI_Wtime.
#pragma once

#include <mpi.h>

#include <functional>

namespace adcl::mpi {

/// MPI_Wtime is the same clock on all ranks, wherever they run (MPI_WTIME_IS_GLOBAL). The same on all ranks. Local.
bool wtime_is_global();

/// What is added to this rank's MPI_Wtime to have a clock that all ranks of a node share: libraries let MPI_Wtime begin
/// at 0 in each process, but the system's monotonic clock is the same for all of them. 0 where MPI_Wtime is global.
/// Found at the first call. Local.
double node_clock_offset_s();

/// MPI_Wtime with that added. Local.
double node_clock_s();

/// What is added to \p clock_s, this rank's clock, to have that of rank 0. Messages go to and fro along a tree in which
/// each rank asks the one whose number lacks its highest bit, in the same number of rounds as a broadcast; of several
/// answers the one that came soonest counts, with an error of at most half of the time that it took. How fast the
/// clocks drift apart is not corrected. Collective over \p comm, with messages of \p tag.
/// Source: Hunold and Carpen-Amarie, "Reproducible MPI benchmarking is still not as easy as you think", IEEE TPDS 27
/// (2016), who compare such schemes.
double clock_offset_s(MPI_Comm comm, int tag, const std::function<double()>& clock_s);

}  // namespace adcl::mpi
