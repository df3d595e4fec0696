/// \file measure.hpp
/// Repetitions of an operation. All functions are collective.
#pragma once

#include <mpi.h>

#include <vector>

#include "clock_model.hpp"
#include "clock_sync.hpp"
#include "function.hpp"
#include "options.hpp"

namespace adcl::bench {

/// The maximum over ranks of each repetition, and the number of discarded repetitions.
struct Samples {
  std::vector<double> repetitions;
  int discarded = 0;
  /// Elapsed time divided by the busiest rank's processor time: the median of the repetitions. At least 1; 0 if it was
  /// not measured.
  double sharing = 0.0;
};

/// MPI_Wtime and messages between the ranks of a communicator.
class MpiPeers final : public Peers {
 public:
  explicit MpiPeers(MPI_Comm comm) : comm_(comm) {}
  double now() override { return MPI_Wtime(); }
  void send(int rank, double seconds) override;
  double receive(int rank) override;
  void pause(double seconds) override;

 private:
  MPI_Comm comm_;
};

/// Returns when MPI_Wtime has reached the time. Polls the clock; sleeps in a simulator, where polling would never end.
void wait_until(double time_s);

/// Seconds of run(); all ranks start at the same time of rank 0's clock. After ten attempts per repetition, returns the
/// repetitions that succeeded. The result is the same on all ranks.
Samples measure_in_windows(Operation& operation, const ClockModel& clock, MPI_Comm comm, const Options& options);

/// Seconds of run(), started after a barrier.
Samples measure_after_barrier(Operation& operation, MPI_Comm comm, const Options& options);

/// Bytes that stay allocated after run().
Samples measure_heap(Operation& operation, MPI_Comm comm, const Options& options);

}  // namespace adcl::bench
