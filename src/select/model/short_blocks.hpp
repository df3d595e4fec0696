/// \file short_blocks.hpp
/// Corrects times of short blocks, for operations in which ranks run ahead of each other. Pure.
///
/// The network and the ranks' buffers absorb the first messages, so executions in a block of two are faster than in a
/// block of ten. Candidates that ran in short and in long blocks provide the ratio of both times. The median of these
/// ratios corrects the times of candidates that ran in short blocks only. Without the correction, these candidates
/// would seem faster than the best candidate so far, whose blocks are long.
#pragma once

#include <algorithm>
#include <vector>

#include "select/model/model_constants.hpp"

namespace adcl::select {

class ShortBlocks {
 public:
  /// Longest short block, in executions.
  static constexpr double limit = 2.0 * first_executions;

  /// Adds the log ratio of a candidate's times per execution, in a long block and in a short block.
  void add(double log_ratio) {
    log_ratios_.insert(std::upper_bound(log_ratios_.begin(), log_ratios_.end(), log_ratio), log_ratio);
  }

  /// Returns the correction, which is added to the logarithm of a short block's time; not negative. A single ratio
  /// may come from a disturbance, so half of it is used.
  [[nodiscard]] double correction() const {
    if (log_ratios_.empty()) {
      return 0.0;
    }
    const double middle = log_ratios_[(log_ratios_.size() - 1) / 2];
    return std::max(0.0, log_ratios_.size() == 1 ? middle / 2.0 : middle);
  }

 private:
  std::vector<double> log_ratios_;  ///< sorted
};

}  // namespace adcl::select
