/// \file windows.hpp
/// How long the windows are in which all ranks start a repetition together, from what was seen so far. Pure.
/// Source: the window-based start of SKaMPI; Hoefler, Schneider and Lumsdaine, Accurately Measuring Collective
/// Operations at Massive Scale, IPDPS 2008.
#pragma once

namespace adcl::bench {

class Windows {
 public:
  /// \param expected_s  how long a repetition probably takes
  explicit Windows(double expected_s);

  [[nodiscard]] double length_s() const { return length_s_; }

  /// After \p tried repetitions of which \p missed had a rank that came too late; \p longest_s is the longest of all of
  /// them. Windows that many ranks missed are doubled; windows much longer than needed shrink.
  void absorb(int tried, int missed, double longest_s);

 private:
  double length_s_;
};

}  // namespace adcl::bench
