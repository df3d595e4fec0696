/// \file drift.hpp
/// Detects on one rank whether the time of starts in production has changed since the decision. Pure.
///
/// A check times a few starts in a row; its median counts. The first checks after a decision define the usual time:
/// mean and standard deviation of the logarithms. The last checks are compared with it. They are a drift if all of them
/// differ in the same direction, by more than a quarter and by more than four standard deviations. A factor of two is a
/// drift whatever the scatter, since the first checks may have been disturbed themselves. A disturbance that is usual,
/// or that ends before the last checks do, is not a drift.
#pragma once

#include <vector>

namespace adcl::measure {

class Drift {
 public:
  static constexpr int samples_per_check = 5;
  static constexpr int usual_checks = 6;  ///< number of first checks
  static constexpr int last_checks = 3;

  /// Records the time of a start in the current check. Ignores times beyond samples_per_check, and invalid ones.
  void record(double seconds);
  /// Replaces the time that was recorded last.
  void amend(double seconds);
  /// Ends the check. A check without a time is ignored.
  void close() { judge(finish_check()); }
  /// Ends the check, and returns the time that close() would judge: the median, or with \p whole the mean. For problems
  /// in which ranks run ahead of each other. NaN without a time.
  double finish_check(bool whole = false);
  /// Judges a check that took \p seconds; ignores an invalid time.
  void judge(double seconds);
  /// The smallest deviation of the last checks, divided by the smallest one that is a drift: 1 and more is a drift. 0
  /// while too few checks are known.
  [[nodiscard]] double score() const;
  /// The time of the last checks divided by the usual time, for the check that is nearest to it; 1 while too few are
  /// known.
  [[nodiscard]] double ratio() const;

 private:
  /// The smallest deviation from the usual time, if all last checks deviate in the same direction; else 0.
  [[nodiscard]] double difference() const;

  std::vector<double> samples_;  ///< seconds; of the current check
  std::vector<double> usual_;    ///< logarithms of the first checks
  std::vector<double> last_;     ///< logarithms of the last checks after usual_
};

}  // namespace adcl::measure
