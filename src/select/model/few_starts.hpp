/// \file few_starts.hpp
/// By how much few starts in a row flatter an operation in which ranks run ahead of each other. Pure.
///
/// What a network and the ranks' buffers take up at first makes a block of two starts look faster than one of ten.
/// Where both were seen of the same candidate, their quotient is known; in the median, it holds for candidates of which
/// only few starts in a row were seen, too: otherwise, each of these in turn would seem to be faster than a leader that
/// has run for long.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "select/model/model_constants.hpp"

namespace adcl::select {

class FewStarts {
 public:
  /// Executions of a block that is few of them.
  static constexpr double few = 2.0 * first_executions;

  /// The logarithm of how many times longer a start of a candidate took in a block of many than in one of few.
  void add(double longer) {
    longer_.insert(std::upper_bound(longer_.begin(), longer_.end(), longer), longer);
    if (longer_.size() > remembered) {  // from either end, so that the median stays
      longer_.erase(longer_.begin());
      longer_.pop_back();
    }
  }

  /// What to add to the logarithm of a time that few starts have told; never negative. A single quotient may be due to
  /// a disturbance, and counts half.
  [[nodiscard]] double correction() const {
    if (longer_.empty()) {
      return 0.0;
    }
    const double middle = longer_[(longer_.size() - 1) / 2];
    return std::max(0.0, longer_.size() == 1 ? middle / 2.0 : middle);
  }

 private:
  static constexpr std::size_t remembered = 32;
  std::vector<double> longer_;  ///< the smallest first
};

}  // namespace adcl::select
