/// \file batch_times.hpp
/// The times of a batch: samples of this rank, the numbers of each block that the ranks reduce, and what comes of them.
/// Pure.
///
/// Where the ranks share a clock, the time of an execution is the one from the arrival of the last rank to the
/// departure of the last one. That is what the operation adds to the program: the sum of these times and of those
/// between the last departure of one operation and the last arrival at the next is the time that the program takes.
/// What a rank waits for one that still computes is not in it; in times that each rank takes for itself that hides what
/// codelets differ by. Such a time begins so many seconds before the rank leaves as it has spent in the operation: of
/// one that is split into init and wait that counts as if it had been spent at the end.
///
/// Where they do not, or where less than half of the executions of a block have such times, each rank summarises what
/// it took for itself (thesis section 5.2), and the numbers of the slowest one count.
///
/// In some operations a rank is done before others have begun: a root that scatters, a rank that sends to one that
/// gathers. There the time of an execution depends on those before it. What the first ones leave in the network others
/// wait for, or it is there already when they come. Then a block is one measurement, from a moment at which the ranks
/// have met: the mean of its executions, none left out, on the rank on which they take longest together.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "select/search.hpp"

namespace adcl::select {

class BatchTimes {
 public:
  /// What the ranks know of a block.
  struct Block {
    measure::Numbers numbers;
    double shortest_s = 0.0;  ///< on the rank where it was longest
    double longest_s = 0.0;
    double spent_s = 0.0;  ///< on all that spend() was told of the block
  };

  /// \p whole_blocks: a block is one measurement. Not with a common clock.
  explicit BatchTimes(bool common_clock = false, bool whole_blocks = false)
      : common_clock_(common_clock), whole_blocks_(whole_blocks) {}

  /// A batch of blocks with so many samples each. What was before is freed.
  void begin(std::vector<int> counted);
  void end() { begin({}); }
  [[nodiscard]] int samples() const { return static_cast<int>(seconds_.size()); }
  /// Of sample \p place. \p left_s: when the operation was complete, on the clock that the ranks share; NaN: unknown.
  void record(int place, double seconds, double left_s);
  /// Not the first time of that sample.
  [[nodiscard]] bool recorded(int place) const;
  void spend(std::size_t block, double seconds);
  /// To be combined element by element with MAX over the ranks; as many on all ranks.
  [[nodiscard]] std::vector<double> pending(const Parameters& parameters) const;
  /// Of each block. \throws Error(internal) for a wrong number of values.
  [[nodiscard]] std::vector<Block> combined(std::span<const double> reduced, const Parameters& parameters) const;

 private:
  [[nodiscard]] std::size_t length() const;
  [[nodiscard]] Block from_arrivals(std::span<const double> moments, double besides_s,
                                    const Parameters& parameters) const;

  static constexpr double missing = std::numeric_limits<double>::quiet_NaN();
  bool common_clock_;
  bool whole_blocks_;
  std::vector<int> counted_;     ///< samples of each block
  std::vector<double> spent_;    ///< seconds, of each block
  std::vector<double> seconds_;  ///< block after block; NaN: no measurement
  std::vector<double> left_;     ///< moments on the common clock; empty where there is none
};

}  // namespace adcl::select
