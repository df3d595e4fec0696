/// \file patience.hpp
/// The number of times that a process spins for another process of its machine before it yields its core. Pure.
#pragma once

namespace adcl::codelets {

/// A spinning process detects an event within tens of nanoseconds; a process that yields its core may lose it for a
/// time slice of the scheduler. The best number of spins depends on how long the process loses its core after a yield:
///
/// - The process does not lose the core if no other process needs it: spinning delays no other process.
/// - The process loses the core for some microseconds if the processes that take it also wait and yield
///   (oversubscribed). The awaited process may be among them, so each spin delays it.
/// - The process loses the core for milliseconds if a computing process of this job or of another job takes it. Then it
///   yields the core as late as possible, because ranks with their own cores seldom wait longer than microseconds.
///
/// Each process adapts independently, because the result affects only its own waiting.
class Patience {
 public:
  static constexpr unsigned longest = 1024;  ///< spins; some tens of microseconds
  static constexpr double not_away_s = 1.5e-6;
  static constexpr double long_away_s = 500e-6;
  /// Number of consecutive waits without a loss of the core before the process spins longer; ranks that share cores
  /// also find a free core now and then.
  static constexpr int free_waits = 16;

  /// Number of spins before the first yield of a wait.
  [[nodiscard]] unsigned spins() const noexcept { return spins_; }
  /// Records a wait with yields, in which the process lost the core for at most \p away_s seconds.
  void record(double away_s) noexcept {
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
  int free_ = 0;  ///< consecutive waits in which no process took the core
};

}  // namespace adcl::codelets
