/// \file failures.hpp
/// Which candidates can no longer run, and why.
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
  /// All other candidates were dropped.
  [[nodiscard]] bool is_last(ModeCandidate candidate) const {
    return dropped_.size() + (dropped(candidate) ? 0U : 1U) == candidates_;
  }
  /// At least two candidates can run.
  [[nodiscard]] bool has_alternative() const { return dropped_.size() + 1 < candidates_; }

  /// Records that an execution failed on this rank. Until share(), only the first reason is kept. Local.
  void fail(ModeCandidate candidate, const std::string& reason) { failed_.try_emplace(candidate, reason); }
  /// 1 if a candidate has failed on this rank, otherwise 0; the ranks reduce it by the maximum. Local.
  [[nodiscard]] double flag() const { return failed_.empty() ? 0.0 : 1.0; }
  /// For each candidate the reason why it failed on some rank, or an empty text. Clears the failures. Collective.
  [[nodiscard]] std::vector<std::string> share(mpi::Context& context) {
    std::vector<std::string> reasons(candidates_);
    for (const auto& [candidate, reason] : std::exchange(failed_, {})) {
      reasons[place(candidate)] = reason;
    }
    return mpi::share_texts(context, reasons);
  }
  /// Passes the failures to the timer whose combinations the candidates are. Local.
  void leave_to_timer() {
    failure_of_parts_ = true;
    failed_.clear();
  }
  /// Failures were passed to the timer since the last call.
  [[nodiscard]] bool take_failure_of_parts() noexcept { return std::exchange(failure_of_parts_, false); }

 private:
  std::size_t candidates_;
  Reasons dropped_;
  Reasons failed_;
  bool failure_of_parts_ = false;
};

}  // namespace adcl::runtime
