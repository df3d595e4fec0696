/// \file patience.hpp
/// How long a process spins for another one of its machine before it gives its core away. Pure.
#pragma once

namespace adcl::codelets {

/// A process that spins sees what it waits for within tens of nanoseconds; one that gives its core away may lose it for
/// a turn of the scheduler. What is right shows in how long the core is away when it is given away:
///
/// - Not at all, when nobody else needs it. Spinning disturbs nobody.
/// - Some microseconds, when others take it that wait themselves and give it back: more ranks than cores. The one that
///   is waited for may be among them, so that each spin is lost.
/// - Milliseconds, when something takes it that computes, of this job or of another. Then it is given away as late as
///   possible: nearly everything that ranks on cores of their own wait for comes within microseconds.
///
/// Each process learns for itself: nothing but its own waiting depends on it.
class Patience {
 public:
  static constexpr unsigned longest = 1024;  ///< spins; some tens of microseconds
  static constexpr double not_away_s = 1.5e-6;
  static constexpr double long_away_s = 500e-6;
  /// Waits in a row in which nobody took the core until it spins for longer: ranks that share cores find one free now
  /// and then.
  static constexpr int free_waits = 16;

  /// Before the core is given away for the first time in a wait.
  [[nodiscard]] unsigned spins() const noexcept { return spins_; }
  /// The core was given away in a wait, and was away for \p away_s at most.
  void learn(double away_s) noexcept {
    if (away_s > not_away_s) {
      spins_ = away_s > long_away_s ? longest : spins_ / 2;
      free_ = 0;
    } else if (++free_ == free_waits) {
      spins_ = spins_ < longest / 2 ? 2 * spins_ + 1 : longest;
      free_ = 0;
    }
  }

 private:
  unsigned spins_ = longest;
  int free_ = 0;  ///< waits in a row in which nobody took the core
};

}  // namespace adcl::codelets
