/// \file drift.hpp
/// Whether production still takes what it took when it began, as one rank sees it. Pure.
///
/// Now and then a few starts in a row are timed: a check, of which the median counts. The first checks after a decision
/// say what is usual, mean and standard deviation of the logarithms. From then on the last checks are held against it:
/// a drift is that all of them differ in the same direction, by more than a quarter and by more than four standard
/// deviations; twice as long or half as long is one however much they scatter: the first checks may have been disturbed
/// themselves. A disturbance that is over before the last checks are, or that is usual here, is none.
#pragma once

#include <deque>
#include <vector>

namespace adcl::measure {

class Drift {
 public:
  static constexpr int samples_per_check = 5;
  static constexpr int usual_checks = 6;  ///< the first ones
  static constexpr int last_checks = 3;

  /// The time of a start of the check under way, up to samples_per_check; more are ignored, and so is what is no time.
  void record(double seconds);
  /// Replaces the time that was recorded last.
  void amend(double seconds);
  /// The check is over. One without a time counts for nothing.
  void close() { judge(take()); }
  /// What close() judges by, for ranks that run ahead of each other: of the check under way, which begins anew, the
  /// median, or with \p whole the mean. NaN without a time.
  double take(bool whole = false);
  /// A check took so long; what is no time counts for nothing.
  void judge(double seconds);
  /// How far the last checks are off at least, as a part of what would be a drift: 1 and more is one. 0 while too
  /// little is known.
  [[nodiscard]] double score() const;
  /// How many times as long as usual the last checks took, that which was nearest to it; 1 while too little is known.
  [[nodiscard]] double ratio() const;

 private:
  /// The least difference from what is usual that all of the last checks have.
  [[nodiscard]] double difference() const;

  std::vector<double> samples_;  ///< of the check under way
  std::vector<double> usual_;    ///< logarithms of the first checks
  std::deque<double> last_;      ///< logarithms of the last checks after these
};

}  // namespace adcl::measure
