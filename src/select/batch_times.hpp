/// \file batch_times.hpp
/// The times of a batch: this rank's samples, the numbers of each block for the reduction, and the reduced results.
/// Pure.
///
/// With a common clock, an execution lasts from the arrival of the last rank to the departure of the last rank. This is
/// the time that the operation adds to the program. It excludes the time in which a rank waits for ranks that still
/// compute; this wait hides the differences between codelets if each rank measures its own times. The arrival of a rank
/// is its departure minus its seconds in the operation; for init and wait, the rank is assumed to have spent all of
/// these seconds at the end.
///
/// Without a common clock, or if fewer than half of the executions of a block have arrival and departure, each rank
/// summarizes its own times (thesis section 5.2), and the slowest rank counts.
///
/// In some operations a rank completes before others begin, for example the root of a scatter, or a rank that sends to
/// the root of a gather. Then the time of an execution depends on earlier executions, whose messages may still occupy
/// the network or may already have arrived. In this case (Parameters::whole_blocks) a block is one measurement, which
/// begins after a synchronization: the mean time of its executions on the rank with the largest total.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "select/search.hpp"

namespace adcl::select {

class BatchTimes {
 public:
  /// The reduced results of a block.
  struct Block {
    measure::Numbers numbers;
    double shortest_s = 0.0;  ///< maximum over the ranks
    double spent_s = 0.0;     ///< total of spend() for the block
  };

  /// \p whole_blocks: a block is one measurement; requires that there is no common clock.
  explicit BatchTimes(bool common_clock = false, bool whole_blocks = false)
      : common_clock_(common_clock), whole_blocks_(whole_blocks) {}

  /// Frees the previous batch and begins a batch with \p counted samples per block.
  void begin(std::vector<int> counted);
  void end() { begin({}); }
  [[nodiscard]] int samples() const { return static_cast<int>(seconds_.size()); }
  /// Records the time of sample \p place. \p left_s: completion time on the common clock; NaN: unknown.
  void record(int place, double seconds, double left_s);
  [[nodiscard]] bool recorded(int place) const;
  void spend(std::size_t block, double seconds);
  /// Numbers to reduce element by element with MAX over the ranks. The same length on all ranks.
  [[nodiscard]] std::vector<double> pending(const Parameters& parameters) const;
  /// Returns the results of each block. Throws Error(internal) for a wrong number of values.
  [[nodiscard]] std::vector<Block> combined(std::span<const double> reduced, const Parameters& parameters) const;

 private:
  [[nodiscard]] std::size_t length() const;
  [[nodiscard]] Block from_arrivals(std::span<const double> moments, double besides_s,
                                    const Parameters& parameters) const;

  bool common_clock_;
  bool whole_blocks_;
  std::vector<int> counted_;     ///< samples of each block
  std::vector<double> spent_;    ///< seconds of each block
  std::vector<double> seconds_;  ///< samples of all blocks in order; NaN: no measurement
  std::vector<double> left_;     ///< completion times on the common clock; empty without a common clock
};

}  // namespace adcl::select
