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
struct Licence {
  std::int64_t left = 0;
};

/// Grants starts to requests, and counts all starts, including those that did not consult the decider. The same on all
/// ranks, since they start the requests of a communicator in the same order.
///
/// Starts are granted in production and while a search only runs its best candidate, so each granted start counts as
/// production.
class Lease {
 public:
  /// Replaces the lease, once per decision. Requests that hold the former one consult the decider at their next start.
  void renew() {
    settle();
    ++decisions_;
    licence_ = std::make_shared<Licence>();
  }
  /// Creates a lease unless there is one.
  void open() { licence_ = licence_ != nullptr ? licence_ : std::make_shared<Licence>(); }
  /// Withdraws the lease: every start consults the decider from now on.
  void revoke() {
    settle();
    licence_.reset();
  }
  /// Grants the next \p starts; only after open() or renew(). With \p all_ask, requests consult the decider
  /// nevertheless, and the next settle() returns \p starts.
  void grant(std::int64_t starts, bool all_ask = false) {
    settle();
    if (licence_ != nullptr) {
      granted_ = all_ask ? 0 : starts;
      withheld_ = starts - granted_;
      licence_->left = granted_;
    }
  }
  /// Counts the granted starts that have run and returns how many were left. Afterwards, none is granted.
  std::int64_t settle() {
    const std::int64_t unused = granted_ - unasked();
    starts_ += unasked();
    production_ += unasked();
    granted_ = 0;
    if (licence_ != nullptr) {
      licence_->left = 0;
    }
    return unused + std::exchange(withheld_, 0);
  }

  /// Counts a start that consults the decider.
  void count_start() noexcept { ++starts_; }
  /// The start that was counted last belongs to production.
  void count_production() noexcept { ++production_; }
  /// All starts so far.
  [[nodiscard]] std::int64_t starts() const noexcept { return starts_ + unasked(); }
  /// Starts that ran the winner, or the best candidate of the search, without being measured for the search.
  [[nodiscard]] std::int64_t production() const noexcept { return production_ + unasked(); }

  /// Number of calls of renew().
  [[nodiscard]] int decisions() const noexcept { return decisions_; }
  /// The counter that requests hold; null: no lease since the last decision was withdrawn.
  [[nodiscard]] const std::shared_ptr<Licence>& licence() const noexcept { return licence_; }

 private:
  [[nodiscard]] std::int64_t unasked() const noexcept {
    return licence_ == nullptr ? 0 : granted_ - std::max<std::int64_t>(licence_->left, 0);
  }

  std::shared_ptr<Licence> licence_;
  int decisions_ = 0;
  std::int64_t granted_ = 0;
  std::int64_t withheld_ = 0;    ///< granted with all_ask
  std::int64_t starts_ = 0;      ///< excludes granted starts since the last settle()
  std::int64_t production_ = 0;  ///< starts in production, part of starts_
};

}  // namespace adcl::runtime
