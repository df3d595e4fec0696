/// \file search_timing.hpp
/// What a search times: operations, arrivals, blocks of executions, or intervals between starts. Pure.
#pragma once

#include <string>
#include <variant>

#include "core/text.hpp"
#include "options/options.hpp"
#include "tuner/intervals.hpp"

namespace adcl::runtime {

/// The same on all ranks, except for the times of intervals.
class SearchTiming {
 public:
  /// \p runs_ahead: a rank may complete an operation before others have begun it.
  SearchTiming(Timing requested, bool one_node, bool runs_ahead) : one_node_(one_node), runs_ahead_(runs_ahead) {
    if (requested == Timing::interval) {
      technique_.emplace<Intervals>();
    } else if (requested == Timing::arrival) {
      judge_by_arrivals();
    } else if (requested == Timing::nobarrier && runs_ahead) {
      technique_.emplace<Blocks>();
    }
  }

  /// Samples include their completion times on a clock that all ranks share.
  [[nodiscard]] bool common_clock() const noexcept {
    return std::holds_alternative<Arrivals>(technique_) || (std::holds_alternative<Intervals>(technique_) && one_node_);
  }
  /// Blocks of executions are measured instead of single ones.
  [[nodiscard]] bool whole_blocks() const noexcept { return std::holds_alternative<Blocks>(technique_); }
  /// Null: operations are timed.
  [[nodiscard]] Intervals* intervals() noexcept { return std::get_if<Intervals>(&technique_); }
  [[nodiscard]] const Intervals* intervals() const noexcept { return std::get_if<Intervals>(&technique_); }
  /// Times operations from now on, because intervals vary by \p irregularity.
  void judge_by_operations(double irregularity) {
    judge_by_arrivals();
    objection_ = text("; judged by the times of operations: what is between starts varies by ", irregularity,
                      " of the time from start to start");
  }
  /// Why operations are timed although intervals were requested; empty: they are not.
  [[nodiscard]] const std::string& objection() const noexcept { return objection_; }

 private:
  struct Operations {};  ///< on each rank separately
  struct Arrivals {};    ///< from the last rank's arrival to the last rank's departure
  struct Blocks {};      ///< executions in a row, which begin when the ranks have synchronized

  void judge_by_arrivals() {
    if (one_node_) {
      technique_.emplace<Arrivals>();
    } else if (runs_ahead_) {
      technique_.emplace<Blocks>();
    } else {
      technique_.emplace<Operations>();
    }
  }

  bool one_node_;
  bool runs_ahead_;
  std::variant<Operations, Arrivals, Blocks, Intervals> technique_;
  std::string objection_;
};

}  // namespace adcl::runtime
