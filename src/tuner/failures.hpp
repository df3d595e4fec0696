/// \file failures.hpp
/// The candidates that can no longer run, and the reasons.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mpi/agreement.hpp"
#include "tuner/indices.hpp"

namespace adcl::runtime {

/// Dropped candidates are the same on all ranks. Failures are this rank's, until share() exchanges them.
class Failures {
 public:
  using Reasons = std::map<ModeCandidate, std::string>;

  explicit Failures(std::size_t candidates) : candidates_(candidates) {}

  void drop(ModeCandidate candidate, const std::string& reason) { dropped_[candidate] = reason; }
  [[nodiscard]] bool dropped(ModeCandidate candidate) const { return dropped_.contains(candidate); }
  /// The dropped candidates, each with its reason.
  [[nodiscard]] const Reasons& all_dropped() const noexcept { return dropped_; }
  /// True if all other candidates were dropped.
  [[nodiscard]] bool is_last(ModeCandidate candidate) const {
    return dropped_.size() + (dropped(candidate) ? 0U : 1U) == candidates_;
  }
  /// True if at least two candidates can run.
  [[nodiscard]] bool has_alternative() const { return dropped_.size() + 1 < candidates_; }

  /// Records that an execution failed on this rank. Until share(), only the first reason is kept. Local.
  void fail(ModeCandidate candidate, const std::string& reason) { failed_.try_emplace(candidate, reason); }
  /// 1 if a candidate has failed on this rank, otherwise 0; the ranks reduce it with MAX. Local.
  [[nodiscard]] double flag() const { return failed_.empty() ? 0.0 : 1.0; }
  /// For each candidate the reason why it failed on some rank, or an empty text. Clears the failures. Collective.
  [[nodiscard]] std::vector<std::string> share(mpi::Context& context) {
    std::vector<std::string> reasons(candidates_);
    for (const auto& [candidate, reason] : std::exchange(failed_, {})) {
      reasons[index_of(candidate)] = reason;
    }
    return mpi::share_texts(context, reasons);
  }
  /// Passes the failures to the timer whose combinations the candidates are. Local.
  void pass_to_timer() {
    passed_to_timer_ = true;
    failed_.clear();
  }
  /// True if failures were passed to the timer since the last call.
  [[nodiscard]] bool take_passed_to_timer() noexcept { return std::exchange(passed_to_timer_, false); }

 private:
  std::size_t candidates_;
  Reasons dropped_;
  Reasons failed_;
  bool passed_to_timer_ = false;
};

}  // namespace adcl::runtime
