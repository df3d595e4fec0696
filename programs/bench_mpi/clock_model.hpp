/// \file clock_model.hpp
/// Offset and drift between the clocks of two ranks, from ping-pongs between them. Pure.
/// Source: Hunold and Carpen-Amarie, Hierarchical Clock Synchronization in MPI, IEEE CLUSTER 2018 (HCA3); the offset
/// between two clocks as in SKaMPI (Worsch, Reussner and Augustin, EuroPVM/MPI 2002).
#pragma once

#include <span>

namespace adcl::bench {

/// One ping-pong: this rank's clock at the send, the other rank's clock at the reply, and this rank's clock at the
/// receipt.
struct Exchange {
  double sent_s;
  double answered_s;
  double received_s;
};

/// The other rank's clock minus this rank's clock, at one time.
struct Offset {
  double at_s;  ///< own clock
  double offset_s;
  double uncertainty_s;  ///< half the interval that contains the offset, if clocks do not drift meanwhile
};

/// The offset that is consistent with all ping-pongs. \pre there is at least one
Offset offset_of(std::span<const Exchange> exchanges);

/// A straight line: the reference clock is this rank's clock plus an offset that grows linearly.
struct ClockModel {
  double origin_s = 0.0;  ///< own clock
  double offset_s = 0.0;  ///< at the origin
  double drift = 0.0;     ///< seconds per second of this rank's clock

  [[nodiscard]] double reference(double own_s) const { return own_s + offset_s + drift * (own_s - origin_s); }
  [[nodiscard]] double own(double reference_s) const {
    return origin_s + (reference_s - origin_s - offset_s) / (1.0 + drift);
  }
};

/// Fits a line to the offsets by least squares; with one offset, or if all offsets have the same time, the drift is 0.
/// \pre there is at least one offset
ClockModel fit(std::span<const Offset> offsets);

}  // namespace adcl::bench
