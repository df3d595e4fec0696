/// \file windows.hpp
/// Length of the time windows in which all ranks start a repetition together, from the repetitions so far. Pure.
/// Source: the window-based start of SKaMPI; Hoefler, Schneider and Lumsdaine, Accurately Measuring Collective
/// Operations at Massive Scale, IPDPS 2008.
#pragma once

namespace adcl::bench {

class Windows {
 public:
  /// \param expected_s  estimated time of a repetition
  explicit Windows(double expected_s);

  [[nodiscard]] double length_s() const { return length_s_; }

  /// Adapts the length after \p tried repetitions; in \p missed of them a rank was too late, and the longest took \p
  /// longest_s. Doubles the length if many windows were missed; shortens it if it is much too long.
  void absorb(int tried, int missed, double longest_s);

 private:
  double length_s_;
};

}  // namespace adcl::bench
