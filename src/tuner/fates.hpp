/// \file fates.hpp
/// Which candidates can no longer run, and why.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "mpi/context.hpp"
#include "tuner/indices.hpp"

namespace adcl::runtime {

/// Dropped candidates are the same on all ranks. Failures are this rank's, until share() exchanges them.
class Fates {
 public:
  explicit Fates(std::size_t candidates) : candidates_(candidates) {}

  void drop(ModeCandidate candidate, const std::string& reason) { dropped_[candidate] = reason; }
  [[nodiscard]] bool dropped(ModeCandidate candidate) const { return dropped_.contains(candidate); }
  /// The reason why a candidate was dropped; the others can run.
  [[nodiscard]] const std::map<ModeCandidate, std::string>& all_dropped() const noexcept { return dropped_; }
  /// All other candidates were dropped.
  [[nodiscard]] bool is_last(ModeCandidate candidate) const;
  /// At least two candidates can run.
  [[nodiscard]] bool has_alternative() const;

  /// Records that an execution failed on this rank. Until share(), only the first reason is kept. Local.
  void fail(ModeCandidate candidate, const std::string& reason);
  /// 1 if a candidate has failed on this rank, otherwise 0; the ranks reduce it by the maximum. Local.
  [[nodiscard]] double flag() const;
  /// For each candidate the reason why it failed on some rank, or an empty text. Clears the failures. Collective.
  [[nodiscard]] std::vector<std::string> share(mpi::Context& context);
  /// Passes the failures to the timer whose combinations the candidates are. Local.
  void leave_to_timer();
  /// Failures were passed to the timer since the last call.
  [[nodiscard]] bool take_failure_of_parts() noexcept;

 private:
  std::size_t candidates_;
  std::map<ModeCandidate, std::string> dropped_;
  std::map<ModeCandidate, std::string> failed_;
  bool failure_of_parts_ = false;
};

}  // namespace adcl::runtime
