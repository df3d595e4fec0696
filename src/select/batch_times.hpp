/// \file batch_times.hpp
/// The times of a batch: samples of this rank, the numbers of each block that the ranks reduce, and their results.
/// Pure.
///
/// With a common clock, the time of an execution is from the arrival of the last rank to the departure of the last
/// rank. That is what the operation adds to the program: these times, and the times between the last departure from one
/// operation and the last arrival at the next, add up to the time of the program. They exclude the time that a rank
/// waits for one that still computes; in times that each rank takes for itself, this wait hides the differences between
/// codelets. A rank arrives when it leaves minus the seconds it has spent in the operation; if the operation is split
/// into init and wait, these seconds count as if spent at the end.
///
/// Without a common clock, or if fewer than half of the executions of a block have such times, each rank summarizes its
/// own times (thesis section 5.2), and the numbers of the slowest rank count.
///
/// In some operations, a rank completes before others begin, such as the root of a scatter, or a rank that sends to the
/// root of a gather. There the time of an execution depends on the ones before it: their messages may still occupy the
/// network, or may already have arrived. Then a block is one measurement that begins when the ranks have synchronized:
/// the mean of all its executions, on the rank on which they take longest in total.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "select/search.hpp"

namespace adcl::select {

class BatchTimes {
 public:
  /// Reduced results of a block.
  struct Block {
    measure::Numbers numbers;
    double shortest_s = 0.0;  ///< on the rank where it was longest
    double spent_s = 0.0;     ///< total of spend() for the block
  };

  /// \p whole_blocks: a block is one measurement. Not with a common clock.
  explicit BatchTimes(bool common_clock = false, bool whole_blocks = false)
      : common_clock_(common_clock), whole_blocks_(whole_blocks) {}

  /// Begins a batch of blocks with these numbers of samples, and frees the previous batch.
  void begin(std::vector<int> counted);
  void end() { begin({}); }
  [[nodiscard]] int samples() const { return static_cast<int>(seconds_.size()); }
  /// Records the time of sample \p place. \p left_s: when the operation was complete, on the common clock; NaN:
  /// unknown.
  void record(int place, double seconds, double left_s);
  /// The sample has a time.
  [[nodiscard]] bool recorded(int place) const;
  void spend(std::size_t block, double seconds);
  /// Numbers to reduce element by element with MAX over the ranks; equally many on all ranks.
  [[nodiscard]] std::vector<double> pending(const Parameters& parameters) const;
  /// The results of each block. \throws Error(internal) for a wrong number of values.
  [[nodiscard]] std::vector<Block> combined(std::span<const double> reduced, const Parameters& parameters) const;

 private:
  [[nodiscard]] std::size_t length() const;
  [[nodiscard]] Block from_arrivals(std::span<const double> moments, double besides_s,
                                    const Parameters& parameters) const;

  static constexpr double missing = std::numeric_limits<double>::quiet_NaN();
  bool common_clock_;
  bool whole_blocks_;
  std::vector<int> counted_;     ///< samples of each block
  std::vector<double> spent_;    ///< seconds for each block
  std::vector<double> seconds_;  ///< block after block; NaN: no measurement
  std::vector<double> left_;     ///< completion times on the common clock; empty without one
};

}  // namespace adcl::select
