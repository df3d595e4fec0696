/// \file gain.hpp
/// Measures, after the decision, how much faster the winner is than the first codelet of the table. Pure.
///
/// The two codelets alternate: in each pair, the first codelet runs once to warm up and then for one sample, and so
/// does the winner. Both sides of a pair see the same state of the machine. The samples that chose the winner do not
/// count: selection by the lowest time makes the winner look faster than it is.
///
/// speedup = median over the pairs of (time of the first codelet / time of the winner).
///
/// Its interval consists of order statistics of the ratios, so it needs no assumption about their distribution: for the
/// largest j whose binomial probability allows it, the j-th smallest and the j-th largest ratio enclose the median with
/// a confidence of at least 95 %. Fewer than six pairs have no such interval, and then no gain is reported.
///
/// Pairs run in groups of three, which share one agreement. A group runs when all groups together cost at most 1 % of
/// the time that the program has spent in the winner: the cost is the extra time of the first codelet over the winner,
/// plus the agreement. So a slow first codelet runs later. If it is so slow that six pairs would be due only in a much
/// longer program, it does not run again.
///
/// All ranks take the same branch: times are agreed, and everything else is a start count.
///
/// Source of the interval: David and Nagaraja, "Order Statistics" (2003), section 7.1.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "select/batch_times.hpp"
#include "select/search.hpp"

namespace adcl::select {

/// The smallest number of pairs that has an interval.
inline constexpr int fewest_gain_pairs = 6;
/// The largest number of pairs that are measured.
inline constexpr int most_gain_pairs = 12;

/// A speedup with its interval.
struct Gain {
  double speedup = 0.0;
  double low = 0.0;  ///< ends of the interval, with a confidence of at least 95 %
  double high = 0.0;
  int pairs = 0;

  /// The interval contains 1: the measurements show no difference.
  [[nodiscard]] bool same() const { return low <= 1.0 && high >= 1.0; }
};

/// The gain from the ratios of the pairs; empty for fewer than six.
std::optional<Gain> gain_of(std::vector<double> ratios);

/// Schedules the starts of the two codelets, and evaluates their times.
class GainPairs {
 public:
  /// One start of a group.
  struct Start {
    bool first = false;  ///< the first codelet of the table; else the winner
    int sample = -1;     ///< index among the samples of the group; -1: a warm-up
  };

  /// \p common_clock: Parameters::common_clock of the search.
  explicit GainPairs(bool common_clock);

  /// After \p starts, begins to compare \p winner with the first codelet. \p first_s and \p winner_s: the times by
  /// which the search judges them. Keeps the pairs of the same winner; the cost of other pairs still counts.
  void compare(int winner, double first_s, double winner_s, std::int64_t starts);
  /// Discards the pairs, because the winner may change.
  void abandon();
  /// The winner of the pairs; -1: none.
  [[nodiscard]] int winner() const noexcept { return winner_; }
  /// More pairs are to run: the plan of the first codelet is needed.
  [[nodiscard]] bool open() const noexcept { return open_; }
  /// The start count at which the next group is due, or the last one is absorbed.
  [[nodiscard]] std::int64_t due() const noexcept { return due_; }

  /// Returns what the next start runs; begins a group if none is under way. Empty: the group is complete.
  std::optional<Start> next();
  /// Records a sample of the group under way; ignored when the group is over.
  void record(int sample, double seconds, double left_s);
  /// Numbers of this rank for the complete group, to be combined with MAX over the ranks.
  [[nodiscard]] std::vector<double> pending() const { return times_.pending(parameters_); }
  /// pending() was posted after \p starts. Sets due() to when it is awaited.
  void posted(std::int64_t starts);
  /// Takes the reduced numbers after \p starts.
  void absorb(std::span<const double> reduced, std::int64_t starts);

  [[nodiscard]] std::optional<Gain> gain() const { return gain_of(ratios_); }
  [[nodiscard]] int pairs() const noexcept { return static_cast<int>(ratios_.size()); }

 private:
  [[nodiscard]] std::int64_t affordable_after(int groups) const;
  void set_open(bool open, std::int64_t starts);

  Parameters parameters_;
  BatchTimes times_;            ///< of the group under way
  std::vector<double> ratios_;  ///< for each pair, the first codelet's time over the winner's
  int winner_ = -1;
  double first_s_ = 0.0;
  double winner_s_ = 0.0;
  double spent_s_ = 0.0;  ///< cost of all groups so far, beyond the winner's time
  std::int64_t due_ = 0;
  int place_ = 0;  ///< starts of the group that have run
  bool running_ = false;
  bool open_ = false;
};

}  // namespace adcl::select
