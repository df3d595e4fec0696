/// \file stalls.hpp
/// The time that stalls add to a codelet's usual time. Pure.
///
/// Outlier methods discard rare long times. But on a network that drops packets, one codelet may wait for a
/// retransmission (200 ms) in every third operation, and another codelet never. The usual times of these codelets are
/// equal, but their mean times may differ by a factor of four. A single disturbed block may have another cause, so the
/// worst block is excluded. The weight of the other blocks grows with the number of executions.
#pragma once

#include <algorithm>

#include "select/model/model_constants.hpp"

namespace adcl::select {

class Stalls {
 public:
  /// Adds a block of \p executions with the mean time \p mean_s, of a codelet with the usual time \p usual_s.
  void add(double executions, double mean_s, double usual_s) {
    const double surplus_s = executions * (mean_s - usual_s);
    const double kept = std::min(1.0, remembered / std::max(executions_, 1.0));
    executions_ = executions_ * kept + executions;
    surplus_s_ = surplus_s_ * kept + surplus_s;
    worst_s_ *= kept;
    worst_executions_ *= kept;
    if (surplus_s > worst_s_) {
      worst_s_ = surplus_s;
      worst_executions_ = executions;
    }
  }

  /// Returns the mean time divided by \p usual_s, at least 1. Stalls in few executions have less weight.
  [[nodiscard]] double factor(double usual_s) const {
    const double executions = executions_ - worst_executions_;
    if (executions <= 0.0 || usual_s <= 0.0) {
      return 1.0;
    }
    const double part = (surplus_s_ - worst_s_) / executions / usual_s;
    return 1.0 + std::max(0.0, part - negligible) * executions / (executions + usual_first);
  }

 private:
  static constexpr double negligible = usual_noise / 2.0;      ///< extra time that is ignored / usual time
  static constexpr double remembered = 2.0 * enough_to_stall;  ///< number of executions with full weight

  double executions_ = 0.0;
  double surplus_s_ = 0.0;
  double worst_s_ = 0.0;  ///< surplus of the worst block
  double worst_executions_ = 0.0;
};

}  // namespace adcl::select
