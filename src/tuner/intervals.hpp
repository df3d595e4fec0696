/// \file intervals.hpp
/// ADCL_TIMING=interval: what an operation makes a whole iteration take, from one start of a request to its next. Pure.
///
/// A measurement begins with a start of a request and ends with the next start of the same request, its leader. Others
/// that share the search and are started in between join it: they run the same codelet, and their operations are in the
/// measurement too. Where one of them is started a second time before the leader is, or too many join, the measurement
/// is void and the next one begins.
///
/// What is in a measurement: the operations of those requests, what happened in between outside of the library, and the
/// operations of other requests that were being measured. Not in it: what the library spent on plans and agreements.
/// The two parts in between are bounded, each by itself: one of more than three times its median of late, and three
/// times the least that it was with the same codelet (ten times that median, where the codelet is new), such as output
/// to a file or a slow codelet that another search tries, counts as what is usual. Bounds are this rank's, and so are
/// samples; the ranks combine what comes of them.
///
/// Starts that come irregularly, as on the levels of a multigrid cycle, say nothing by their intervals: irregularity()
/// is for the ranks to combine, and who sees regular_enough exceeded goes back to the times of operations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "select/search.hpp"

namespace adcl::runtime {

/// The last values of something.
class RecentValues {
 public:
  void add(double value);
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  /// By linear order: 0.5 is the median. Of one value at least.
  [[nodiscard]] double quantile(double part) const;

 private:
  static constexpr std::size_t most = 32;
  std::array<double, most> values_{};
  std::size_t count_ = 0;  ///< at most `most`
  std::size_t next_ = 0;
};

/// Values that are usual for some codelet.
class UsualValues {
 public:
  /// \p value, or what is usual where it is far too much. Of fewer than four values nothing is.
  double bounded(int codelet, double value);
  /// The median of how far values are off the one before of the same codelet; infinity() counts as far off.
  [[nodiscard]] const RecentValues& changes() const noexcept { return changes_; }
  void add_far_off();

 private:
  struct Own {
    double least = 0.0;
    double last = 0.0;
    bool known = false;
  };
  RecentValues values_;
  RecentValues changes_;
  std::vector<Own> own_;  ///< by codelet
};

class Intervals {
 public:
  /// Where what is outside of the library changes by more from one start with a codelet to its next, in the median and
  /// as a part of the median interval, on some rank, starts do not come regularly.
  static constexpr double regular_enough = 0.25;

  /// Readings of this rank, in seconds, of which only differences mean something.
  struct Clock {
    double now_s = 0.0;
    double preparation_s = 0.0;  ///< spent in plans and agreements so far
    double operations_s = 0.0;   ///< spent in measured operations so far
  };
  /// What has ended.
  struct Measurement {
    select::Ticket ticket;
    std::int64_t request = 0;
    double seconds = 0.0;  ///< of a void one what its operations took
    bool valid = false;
  };

  /// \p request is about to start. The measurement that ends with this, if one does. The same on all ranks but for the
  /// times.
  std::optional<Measurement> start(std::int64_t request, const Clock& clock);
  /// The start that was announced last joins a measurement under way.
  [[nodiscard]] bool joins() const noexcept { return joins_; }
  /// The operation of \p ticket took \p seconds. False: no measurement is under way.
  bool took(const select::Ticket& ticket, double seconds);
  /// The measurement under way is of \p ticket, whose time the application tells: it has no other. False: it is not.
  bool replace(const select::Ticket& ticket);
  /// What is under way is of several codelets.
  void spoil() noexcept { valid_ = false; }
  /// Nothing is under way any more.
  void forget() noexcept {
    members_.clear();
    joins_ = false;
  }
  /// Of the last starts on this rank; 0 while there were too few.
  [[nodiscard]] double irregularity() const;

 private:
  [[nodiscard]] std::optional<Measurement> end(const Clock& clock, bool by_leader);

  std::vector<std::int64_t> members_;  ///< requests that were started in it, the leader first; empty: none is under way
  bool joins_ = false;
  bool told_ = false;  ///< the leader's operation is complete
  bool valid_ = true;
  select::Ticket ticket_;
  Clock begin_;
  double own_s_ = 0.0;  ///< its operations
  UsualValues outside_;
  UsualValues others_;
  RecentValues whole_;
};

}  // namespace adcl::runtime
