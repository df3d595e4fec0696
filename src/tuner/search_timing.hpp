/// \file search_timing.hpp
/// The times that a search compares: of operations, of blocks of executions, or of intervals between starts. Pure.
#pragma once

#include <optional>
#include <string>

#include "core/text.hpp"
#include "options/options.hpp"
#include "tuner/intervals.hpp"

namespace adcl::runtime {

/// Equal on all ranks, except for the times of intervals.
class SearchTiming {
 public:
  /// \p runs_ahead: a rank may complete an operation before others have begun it.
  SearchTiming(Timing requested, bool one_node, bool runs_ahead)
      : common_clock_(one_node && (requested == Timing::interval || requested == Timing::arrival)),
        whole_blocks_(runs_ahead && (requested == Timing::nobarrier || (requested == Timing::arrival && !one_node))),
        runs_ahead_(runs_ahead) {
    if (requested == Timing::interval) {
      intervals_.emplace();
    }
  }

  /// Samples include their completion times on a clock that all ranks share: a time is measured from the last rank's
  /// arrival to the last rank's departure.
  [[nodiscard]] bool common_clock() const noexcept { return common_clock_; }
  /// True if blocks of executions are measured instead of single executions. A block begins when the ranks have
  /// synchronized.
  [[nodiscard]] bool whole_blocks() const noexcept { return whole_blocks_; }
  /// Returns null if operations are timed.
  [[nodiscard]] Intervals* intervals() noexcept { return intervals_.has_value() ? &*intervals_ : nullptr; }
  /// Times operations from now on, as for Timing::arrival, because intervals vary by \p irregularity.
  void switch_to_operation_times(double irregularity) {
    intervals_.reset();
    whole_blocks_ = runs_ahead_ && !common_clock_;
    remark_ = text("; compared by operation times: the time between starts varies by ", irregularity,
                   " of the median interval");
  }
  /// Reason why operations are timed although intervals were requested; otherwise empty.
  [[nodiscard]] const std::string& remark() const noexcept { return remark_; }

 private:
  bool common_clock_;
  bool whole_blocks_;
  bool runs_ahead_;
  std::optional<Intervals> intervals_;
  std::string remark_;
};

}  // namespace adcl::runtime
