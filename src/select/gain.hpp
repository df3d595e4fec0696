/// \file gain.hpp
/// How much faster the winner is than the first codelet of the table, measured after the decision. Pure.
///
/// The two codelets run in turns: in each pair the first codelet runs once to warm up and then for one sample, and so
/// does the winner. Both sides of a pair see the same state of the machine. The samples that chose the winner do not
/// count: the luckiest of many codelets looks faster than it is.
///
/// speedup = median over the pairs of (time of the first codelet / time of the winner).
///
/// Its interval consists of order statistics of the ratios, so it needs no assumption on their distribution: for the
/// largest j whose binomial probability allows it, the j-th smallest and the j-th largest ratio enclose the median with
/// a confidence of at least 95 %. Fewer than six pairs have no such interval, and then there is no gain to report.
///
/// Pairs run in groups of three, whose times are agreed on together. A group runs when all groups together cost at most
/// 1 % of the time that the program has spent in the winner: the cost is what the first codelet takes longer than the
/// winner, plus the agreement. So a slow first codelet runs later, and one that is so slow that six pairs would be due
/// only in a much longer program does not run again.
///
/// Why all ranks take the same branch: times are agreed ones, everything else is a number of starts.
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
/// No more pairs than that are measured.
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

/// From the ratios of the pairs; nothing for fewer than six.
std::optional<Gain> gain_of(std::vector<double> ratios);

/// When the two codelets run, and what comes of it.
class GainPairs {
 public:
  /// What a start of a group runs.
  struct Start {
    bool first = false;  ///< the first codelet of the table; else the winner
    int sample = -1;     ///< its place among the samples of the group; -1: it warms up
  };

  /// \p common_clock is that of the search (Parameters).
  explicit GainPairs(bool common_clock);

  /// Compares \p winner with the first codelet, by the times that the search judges them by, from now on, which is
  /// after \p starts. Pairs of the same winner are kept; the cost of other pairs still counts.
  void compare(int winner, double first_s, double winner_s, std::int64_t starts);
  /// Abandons the pairs: the winner may change.
  void abandon();
  /// The winner of the pairs; -1: none.
  [[nodiscard]] int winner() const noexcept { return winner_; }
  /// More pairs are to run: the plan of the first codelet is needed.
  [[nodiscard]] bool open() const noexcept { return open_; }
  /// The number of starts after which the next group is due, or what the last one has measured is absorbed.
  [[nodiscard]] std::int64_t due() const noexcept { return due_; }

  /// What the next start runs; begins a group where none is under way. Nothing: the group is complete.
  std::optional<Start> next();
  /// Of a sample of the group under way; ignored when that is over.
  void record(int sample, double seconds, double left_s);
  /// Numbers of this rank for the complete group, to be combined with MAX over the ranks.
  [[nodiscard]] std::vector<double> pending() const { return times_.pending(parameters_); }
  /// pending() was posted after \p starts; due() is when it is awaited.
  void posted(std::int64_t starts);
  /// Takes the combined numbers after \p starts.
  void absorb(std::span<const double> reduced, std::int64_t starts);

  [[nodiscard]] std::optional<Gain> gain() const { return gain_of(ratios_); }
  [[nodiscard]] int pairs() const noexcept { return static_cast<int>(ratios_.size()); }

 private:
  [[nodiscard]] std::int64_t affordable_after(int groups) const;
  void plan(std::int64_t starts);

  Parameters parameters_;
  BatchTimes times_;            ///< of the group under way
  std::vector<double> ratios_;  ///< of the pairs: the first codelet's time over the winner's
  int winner_ = -1;
  double first_s_ = 0.0;
  double winner_s_ = 0.0;
  double spent_s_ = 0.0;  ///< on all groups so far, beyond the winner's time
  std::int64_t due_ = 0;
  int place_ = 0;  ///< starts of the group that have run
  bool running_ = false;
  bool open_ = false;
};

}  // namespace adcl::select
