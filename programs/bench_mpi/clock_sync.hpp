/// \file clock_sync.hpp
/// Clocks of all ranks against that of rank 0, in a number of rounds that grows with the logarithm of the ranks (HCA3).
#pragma once

#include "clock_model.hpp"

namespace adcl::bench {

/// The world as the synchronisation sees it.
class Peers {
 public:
  virtual ~Peers() = default;
  /// This rank's clock, in seconds.
  virtual double now() = 0;
  virtual void send(int rank, double seconds) = 0;
  virtual double receive(int rank) = 0;
  /// Lets time pass between two samples.
  virtual void pause(double seconds) = 0;
};

struct SyncSettings {
  int points = 40;          ///< offsets that a line is laid through
  int exchanges = 10;       ///< ping-pongs per offset
  double spacing_s = 1e-3;  ///< between two offsets: drift is seen over points * spacing
};

/// How this rank's clock runs against that of rank 0. Collective over the \p size ranks. In round r the ranks below 2^r
/// know already and each teaches one other rank, answering with rank 0's time as far as they know it.
ClockModel synchronise(Peers& peers, int rank, int size, const SyncSettings& settings);

/// How far this rank's idea of rank 0's clock is from it now, in seconds. Collective; rank 0 answers one after the
/// other.
double remaining_error(Peers& peers, const ClockModel& model, int rank, int size, int exchanges);

}  // namespace adcl::bench
