/// \file clock_sync.hpp
/// Synchronizes the clocks of all ranks with rank 0's clock; the number of rounds grows with the logarithm of the
/// number of ranks (HCA3).
#pragma once

#include "clock_model.hpp"

namespace adcl::bench {

/// Clock and messages that the synchronization uses.
class Peers {
 public:
  virtual ~Peers() = default;
  /// This rank's clock, in seconds.
  virtual double now() = 0;
  virtual void send(int rank, double seconds) = 0;
  virtual double receive(int rank) = 0;
  /// Waits between two samples.
  virtual void pause(double seconds) = 0;
};

struct SyncSettings {
  int points = 40;          ///< number of offsets to which the line is fitted
  int exchanges = 10;       ///< ping-pongs per offset
  double spacing_s = 1e-3;  ///< between two offsets; drift is measured over points * spacing
};

/// Returns the model of rank 0's clock on this rank. Collective over the \p size ranks. In round r each rank below 2^r
/// already has its model and synchronizes one other rank: it replies with its estimate of rank 0's time.
ClockModel synchronize(Peers& peers, int rank, int size, const SyncSettings& settings);

/// Present error of this rank's estimate of rank 0's clock, in seconds. Collective; rank 0 replies to one rank after
/// the other.
double remaining_error(Peers& peers, const ClockModel& model, int rank, int size, int exchanges);

}  // namespace adcl::bench
