/// \file lease.hpp
/// How many starts run without consulting the decider, and how many there were. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

namespace adcl::runtime {

/// The starts that may run without asking. All requests of a decider hold the same one and count it down, below zero by
/// the start that asks again. It is 0 for good once the decision is withdrawn.
struct Licence {
  std::int64_t left = 0;
};

/// Grants starts to requests, and counts all starts, including those that ran without asking. The same on all ranks,
/// since they start the requests of a communicator in the same order.
///
/// Starts are granted in production and while a search only runs its leader, so each start that did not ask counts as
/// one of production.
class Lease {
 public:
  /// Replaces the licence. Requests that hold the former one ask at their next start.
  void renew() {
    settle();
    licence_ = std::make_shared<Licence>();
  }
  /// Gives requests a licence unless they have one.
  void open() { licence_ = licence_ != nullptr ? licence_ : std::make_shared<Licence>(); }
  /// Withdraws the licence: no start runs without asking any more.
  void revoke() {
    settle();
    licence_.reset();
  }
  /// Grants the next \p starts; only after open() or renew(). With \p all_ask requests ask nevertheless, and the next
  /// settle() returns \p starts.
  void grant(std::int64_t starts, bool all_ask = false) {
    settle();
    if (licence_ != nullptr) {
      granted_ = all_ask ? 0 : starts;
      withheld_ = starts - granted_;
      licence_->left = granted_;
    }
  }
  /// Counts the starts that ran without asking and returns how many were left; none is granted afterwards.
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

  /// Counts a start that asks.
  void count_start() noexcept { ++starts_; }
  /// The start that was counted last is one of production.
  void count_production() noexcept { ++production_; }
  /// All starts so far.
  [[nodiscard]] std::int64_t starts() const noexcept { return starts_ + unasked(); }
  /// The starts that ran the winner or the leader of the search without being measured for the search.
  [[nodiscard]] std::int64_t production() const noexcept { return production_ + unasked(); }

  /// What requests count down; null: none was granted since the last decision was withdrawn.
  [[nodiscard]] const std::shared_ptr<Licence>& licence() const noexcept { return licence_; }

 private:
  [[nodiscard]] std::int64_t unasked() const noexcept {
    return licence_ == nullptr ? 0 : granted_ - std::max<std::int64_t>(licence_->left, 0);
  }

  std::shared_ptr<Licence> licence_;
  std::int64_t granted_ = 0;
  std::int64_t withheld_ = 0;    ///< granted with all_ask
  std::int64_t starts_ = 0;      ///< without those that ran unasked since the last settle()
  std::int64_t production_ = 0;  ///< the part of starts_ that was production
};

}  // namespace adcl::runtime
