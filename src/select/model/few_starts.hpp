/// \file few_starts.hpp
/// Corrects times from few starts in a row, for operations in which ranks run ahead of each other. Pure.
///
/// The network and the ranks' buffers absorb the first messages, so a block of two starts looks faster than a block of
/// ten. If both were measured for a candidate, their ratio is known. The median ratio also corrects candidates of which
/// only few starts in a row were measured. Otherwise, each of these would in turn seem faster than a leader that has
/// run for long.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "select/model/model_constants.hpp"

namespace adcl::select {

class FewStarts {
 public:
  /// A block of at most this many executions is short.
  static constexpr double few = 2.0 * first_executions;

  /// Adds a ratio: the logarithm of a candidate's time per start in a long block divided by that in a short one.
  void add(double longer) { longer_.insert(std::upper_bound(longer_.begin(), longer_.end(), longer), longer); }

  /// What to add to the logarithm of a time from few starts; never negative. A single ratio may come from a
  /// disturbance, and counts half.
  [[nodiscard]] double correction() const {
    if (longer_.empty()) {
      return 0.0;
    }
    const double middle = longer_[(longer_.size() - 1) / 2];
    return std::max(0.0, longer_.size() == 1 ? middle / 2.0 : middle);
  }

 private:
  std::vector<double> longer_;  ///< sorted
};

}  // namespace adcl::select
