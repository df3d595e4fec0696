/// \file intervals.hpp
/// ADCL_TIMING=interval: times a whole iteration, from one start of a request to its next start. Pure.
///
/// A measurement begins with a start of a request, its leader, and ends with the leader's next start. Other requests of
/// the same search that start in between join it: they run the same codelet, and the measurement includes their
/// operations. If one of them starts a second time before the leader does, or if too many join, the measurement is void
/// and the next measurement begins.
///
/// A measurement includes the operations of its requests, the time outside of the library, and the measured operations
/// of other requests. It excludes the time that the library spends on plans and agreements. Each of the last two parts
/// is bounded separately. A part longer than three times both its recent median and its minimum with the same codelet
/// (new codelet: ten times the median) is replaced with the usual value. Causes are, for example, file output or a slow
/// codelet of another search. Bounds and samples are local; the ranks reduce the results.
///
/// If starts are irregular, as on the levels of a multigrid cycle, their intervals are meaningless. The ranks reduce
/// irregularity(); if it exceeds max_irregularity, they time individual operations again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "select/search.hpp"

namespace adcl::runtime {

/// The last values of a series.
class RecentValues {
 public:
  void add(double value);
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  /// Quantile by linear order: 0.5 is the median. Requires at least one value.
  [[nodiscard]] double quantile(double part) const;

 private:
  static constexpr std::size_t most = 32;
  std::array<double, most> values_{};
  std::size_t count_ = 0;  ///< at most `most`
  std::size_t next_ = 0;
};

/// Recent values of a quantity, which bound outliers per codelet.
class UsualValues {
 public:
  /// Returns \p value, or the usual value if \p value is far above it. Returns \p value until four values are known.
  double bounded(int codelet, double value);
  /// Absolute changes from one value to the next of the same codelet; infinity() for values far off.
  [[nodiscard]] const RecentValues& changes() const noexcept { return changes_; }
  void add_infinite_change();

 private:
  struct Own {
    double least = 0.0;
    double last = 0.0;
    bool known = false;
  };
  RecentValues values_;
  RecentValues changes_;
  std::vector<Own> own_;  ///< one entry per codelet
};

class Intervals {
 public:
  /// Limit of irregularity(): the median change of the time outside of the library, from one start with a codelet to
  /// its next, as a part of the median interval. If it is exceeded on some rank, starts are irregular.
  static constexpr double max_irregularity = 0.25;

  /// Clock readings of this rank, in seconds; only differences are meaningful.
  struct Clock {
    double now_s = 0.0;
    double preparation_s = 0.0;  ///< spent in plans and agreements so far
    double operations_s = 0.0;   ///< spent in measured operations so far
  };
  /// A completed measurement.
  struct Measurement {
    select::Ticket ticket;
    std::int64_t request = 0;
    double seconds = 0.0;  ///< if void: the time of its operations
    bool valid = false;
  };

  /// Call it before \p request starts. Returns the measurement that ends with this start, if any. The same on all ranks
  /// except for the times.
  std::optional<Measurement> start(std::int64_t request, const Clock& clock);
  /// True if the request of the last start() has joined a running measurement.
  [[nodiscard]] bool joins() const noexcept { return joins_; }
  /// Records that the operation of \p ticket took \p seconds. Returns false if no measurement is running.
  bool record_time(const select::Ticket& ticket, double seconds);
  /// Discards the interval of \p ticket, because the application supplies its time. Returns false if another
  /// measurement, or none, is running.
  bool replace(const select::Ticket& ticket);
  /// Voids the running measurement, because it contains several codelets.
  void invalidate() noexcept { valid_ = false; }
  /// Discards the running measurement.
  void discard() noexcept {
    members_.clear();
    joins_ = false;
  }
  /// Irregularity of the last starts on this rank; 0 until there are enough.
  [[nodiscard]] double irregularity() const;

 private:
  [[nodiscard]] std::optional<Measurement> end(const Clock& clock, bool by_leader);

  std::vector<std::int64_t>
      members_;  ///< requests started in the measurement, the leader first; empty: no measurement is running
  bool joins_ = false;
  bool leader_complete_ = false;  ///< the leader's operation is complete
  bool valid_ = true;
  select::Ticket ticket_;
  Clock begin_;
  double own_s_ = 0.0;  ///< time of its operations
  UsualValues outside_;
  UsualValues others_;
  RecentValues whole_;
};

}  // namespace adcl::runtime
