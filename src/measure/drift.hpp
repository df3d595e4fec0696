/// \file drift.hpp
/// Detects on one rank whether the time of starts in production has changed since the decision. Pure.
///
/// A check times a few consecutive starts and uses their median. The first checks after a decision define the usual
/// time: mean and standard deviation of the logarithms. There is a drift if all of the last checks differ from the
/// usual time in the same direction, by more than a quarter and by more than four standard deviations. A factor of two
/// or more is always a drift, because the standard deviation may be too large if the first checks were disturbed. A
/// disturbance that also affects the first checks, or that ends before the last check, is not a drift.
#pragma once

#include <vector>

namespace adcl::measure {

class Drift {
 public:
  static constexpr int samples_per_check = 5;
  static constexpr int usual_checks = 6;  ///< number of checks that define the usual time
  static constexpr int last_checks = 3;

  /// Records the time of a start in the current check. Ignores invalid times, and times beyond samples_per_check.
  void record(double seconds);
  /// Replaces the last recorded time.
  void amend(double seconds);
  /// Ends the check. A check without a time is ignored.
  void close() { judge(finish_check()); }
  /// Ends the check, and returns its time: the median, or the mean if \p whole, for problems in which ranks run ahead
  /// of each other. NaN: no time was recorded.
  double finish_check(bool whole = false);
  /// Adds a check that took \p seconds; ignores an invalid time.
  void judge(double seconds);
  /// The smallest deviation of the last checks, divided by the smallest deviation that is a drift: 1 or more is a
  /// drift. 0 before there are enough checks.
  [[nodiscard]] double score() const;
  /// The time of the last checks divided by the usual time, for the check whose time differs least from the usual time.
  /// 1 before there are enough checks.
  [[nodiscard]] double ratio() const;

 private:
  /// The smallest deviation of the last checks from the usual log time; 0 if their signs differ.
  [[nodiscard]] double difference() const;

  std::vector<double> samples_;  ///< seconds, of the current check
  std::vector<double> usual_;    ///< logarithms of the first checks
  std::vector<double> last_;     ///< logarithms of the last checks after usual_
};

}  // namespace adcl::measure
