/// \file progress_bar.hpp
/// A progress bar on standard error.
#pragma once

namespace apps {

class ProgressBar {
 public:
  /// Shows nothing unless \p wanted is true and standard error is a terminal.
  explicit ProgressBar(bool wanted);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Removes the bar.
  ~ProgressBar();

  /// \p done from 0 to 1. Draws at most ten times a second.
  void show(double done);

 private:
  bool visible_;
  double drawn_at_;
  bool drawn_ = false;
};

}  // namespace apps
