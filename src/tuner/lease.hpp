/// \file lease.hpp
/// Counts starts, and how many of them run without consulting the decider. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

namespace adcl::runtime {

/// Number of starts that may run without consulting the decider. All requests of a decider share one object and count
/// it down; the start that consults the decider again makes it negative. It stays 0 once the decision is withdrawn.
struct LeaseCounter {
  std::int64_t left = 0;
};

/// Grants starts to requests, and counts all starts, including starts that did not consult the decider. All ranks have
/// the same counts, since they start the requests of a communicator in the same order.
///
/// Starts are granted in production and while a search only runs its best candidate, so each granted start counts as
/// production.
class Lease {
 public:
  /// Replaces the lease, once per decision. Requests that hold the former lease consult the decider at their next
  /// start.
  void renew() {
    end_grant();
    ++decisions_;
    counter_ = std::make_shared<LeaseCounter>();
  }
  /// Creates a lease if there is none.
  void open() { counter_ = counter_ != nullptr ? counter_ : std::make_shared<LeaseCounter>(); }
  /// Withdraws the lease: every start consults the decider from now on.
  void revoke() {
    end_grant();
    counter_.reset();
  }
  /// Grants the next \p starts; only after open() or renew(). With \p consult_always, requests consult the decider in
  /// every start, and the next end_grant() returns \p starts.
  void grant(std::int64_t starts, bool consult_always = false) {
    end_grant();
    if (counter_ != nullptr) {
      granted_ = consult_always ? 0 : starts;
      withheld_ = starts - granted_;
      counter_->left = granted_;
    }
  }
  /// Counts the granted starts that have run, and returns the number of granted starts that have not run. Afterward, no
  /// start is granted.
  std::int64_t end_grant() {
    const std::int64_t unused = granted_ - used();
    starts_ += used();
    production_ += used();
    granted_ = 0;
    if (counter_ != nullptr) {
      counter_->left = 0;
    }
    return unused + std::exchange(withheld_, 0);
  }

  /// Counts a start that consults the decider.
  void count_start() noexcept { ++starts_; }
  /// Counts the last start as a production start.
  void count_production() noexcept { ++production_; }
  /// All starts so far.
  [[nodiscard]] std::int64_t starts() const noexcept { return starts_ + used(); }
  /// Starts that ran the winner, or the best candidate of the search, without being measured for the search.
  [[nodiscard]] std::int64_t production() const noexcept { return production_ + used(); }

  /// Number of calls of renew().
  [[nodiscard]] int decisions() const noexcept { return decisions_; }
  /// The counter that requests hold; null: no lease since the last decision was withdrawn.
  [[nodiscard]] const std::shared_ptr<LeaseCounter>& counter() const noexcept { return counter_; }

 private:
  [[nodiscard]] std::int64_t used() const noexcept {
    return counter_ == nullptr ? 0 : granted_ - std::max<std::int64_t>(counter_->left, 0);
  }

  std::shared_ptr<LeaseCounter> counter_;
  int decisions_ = 0;
  std::int64_t granted_ = 0;
  std::int64_t withheld_ = 0;    ///< granted with consult_always
  std::int64_t starts_ = 0;      ///< excludes granted starts since the last end_grant()
  std::int64_t production_ = 0;  ///< starts in production, part of starts_
};

}  // namespace adcl::runtime
