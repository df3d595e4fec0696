/// \file clock_model.hpp
/// How the clock of one rank runs against that of another one, from ping-pongs between them. Pure.
/// Source: Hunold and Carpen-Amarie, Hierarchical Clock Synchronization in MPI, IEEE CLUSTER 2018 (HCA3); the offset
/// between two clocks as in SKaMPI (Worsch, Reussner and Augustin, EuroPVM/MPI 2002).
#pragma once

#include <span>

namespace adcl::bench {

/// One ping-pong: the own clock when the ping left, the other rank's when it was answered, the own one when the answer
/// was there.
struct Exchange {
  double sent_s;
  double answered_s;
  double received_s;
};

/// What has to be added to the own clock to get the other one's, at one time.
struct Offset {
  double at_s;  ///< own clock
  double offset_s;
  double uncertainty_s;  ///< half of the interval in which the offset is for sure, if clocks do not drift meanwhile
};

/// The offset that all of the ping-pongs allow. \pre there is one at least
Offset offset_of(std::span<const Exchange> exchanges);

/// A straight line: the reference clock is the own one plus an offset that grows linearly.
struct ClockModel {
  double origin_s = 0.0;  ///< own clock
  double offset_s = 0.0;  ///< at the origin
  double drift = 0.0;     ///< seconds per own second

  [[nodiscard]] double reference(double own_s) const { return own_s + offset_s + drift * (own_s - origin_s); }
  [[nodiscard]] double own(double reference_s) const {
    return origin_s + (reference_s - origin_s - offset_s) / (1.0 + drift);
  }
};

/// Least squares through the offsets; one offset alone, or all at the same time, gives a clock without drift.
/// \pre there is one offset at least
ClockModel fit(std::span<const Offset> offsets);

}  // namespace adcl::bench
