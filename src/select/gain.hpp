/// \file gain.hpp
/// Measures the speedup of the winner relative to the first codelet of the table, after the decision. Pure.
///
/// The two codelets alternate: in each pair, the first codelet and then the winner run one warm-up and one sample, in
/// the same state of the machine. The samples of the search are not used: the winner was selected for its low time in
/// these samples, so they make it look faster than it is.
///
/// speedup = median over the pairs of (time of the first codelet / time of the winner).
///
/// The confidence interval consists of order statistics of the ratios, so it assumes no distribution: the j-th smallest
/// and the j-th largest ratio, for the largest j with a confidence of at least 95 %. With fewer than six pairs, there
/// is no such interval, and no gain is reported.
///
/// Pairs run in groups of three, which share one agreement. A group runs when all groups together cost at most 1 % of
/// the time that the program has spent in the winner. The cost is the extra time of the first codelet plus the
/// agreement. So a slower first codelet runs later, and if six pairs would need a much longer program, the first
/// codelet does not run at all.
///
/// All ranks take the same branch, because times are agreed, and everything else is a start count.
///
/// Source of the interval: David and Nagaraja, "Order Statistics" (2003), section 7.1.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "select/batch_times.hpp"
#include "select/search.hpp"

namespace adcl::select {

/// The smallest number of pairs for which an interval exists.
inline constexpr int fewest_gain_pairs = 6;
/// The largest number of measured pairs.
inline constexpr int most_gain_pairs = 12;

/// A speedup with its interval.
struct Gain {
  double speedup = 0.0;
  double low = 0.0;  ///< limits of the interval, with a confidence of at least 95 %
  double high = 0.0;
  int pairs = 0;

  /// Whether the interval contains 1, so the measurements show no difference.
  [[nodiscard]] bool same() const { return low <= 1.0 && high >= 1.0; }
};

/// Computes the gain from the ratio of each pair; nullopt for fewer than six pairs.
std::optional<Gain> gain_of(std::vector<double> ratios);

/// Schedules the pairs and evaluates their times.
class GainPairs {
 public:
  /// A start of a group.
  struct Start {
    bool first = false;  ///< the first codelet of the table; else the winner
    int sample = -1;     ///< index among the samples of the group; -1: a warm-up
  };

  /// \p common_clock: Parameters::common_clock of the search.
  explicit GainPairs(bool common_clock) : times_(common_clock) {}

  /// Begins to compare \p winner with the first codelet, after \p starts starts. \p first_s and \p winner_s are their
  /// judged times. Does nothing for the current winner. The cost of pairs with an earlier winner still counts.
  void compare(int winner, double first_s, double winner_s, std::int64_t starts);
  /// Discards the pairs. Called when the winner may change.
  void abandon();
  /// The winner of the pairs; -1: none.
  [[nodiscard]] int winner() const noexcept { return winner_; }
  /// Whether more pairs will run, so that the plan of the first codelet is needed.
  [[nodiscard]] bool open() const noexcept { return due_ < never_due; }
  /// The start count at which the next group begins, or at which the agreement of the last group is absorbed.
  [[nodiscard]] std::int64_t due() const noexcept { return due_; }

  /// Returns the next start of the group, and begins a group if none is in progress; nullopt: the group is complete.
  std::optional<Start> next();
  /// Records a sample of the current group; ignored after its end.
  void record(int sample, double seconds, double left_s);
  /// Numbers of this rank for the complete group, to reduce with MAX over the ranks.
  [[nodiscard]] std::vector<double> pending() const { return times_.pending(parameters_); }
  /// Call it when the reduction of pending() starts, after \p starts starts. Sets due() to the start that absorbs it.
  void posted(std::int64_t starts);
  /// Absorbs the reduced numbers, after \p starts starts.
  void absorb(std::span<const double> reduced, std::int64_t starts);

  [[nodiscard]] std::optional<Gain> gain() const { return gain_of(ratios_); }
  [[nodiscard]] int pairs() const noexcept { return static_cast<int>(ratios_.size()); }

 private:
  static constexpr std::int64_t never_due = std::numeric_limits<std::int64_t>::max() / 2;

  [[nodiscard]] std::int64_t affordable_after(int groups) const;

  Parameters parameters_;       ///< the plain mean
  BatchTimes times_;            ///< times of the current group
  std::vector<double> ratios_;  ///< for each pair, the first codelet's time divided by the winner's
  int winner_ = -1;
  double first_s_ = 0.0;
  double winner_s_ = 0.0;
  double spent_s_ = 0.0;  ///< cost of all groups so far
  std::int64_t due_ = never_due;
  int place_ = 0;  ///< index of the next start of the group
};

}  // namespace adcl::select
