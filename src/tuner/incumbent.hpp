/// \file incumbent.hpp
/// The best candidate so far, and its comparison with the first codelet of the table.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "mpi/agreement.hpp"
#include "mpi/context.hpp"
#include "select/gain.hpp"
#include "select/search.hpp"
#include "tuner/decider.hpp"
#include "tuner/indices.hpp"

namespace adcl::runtime {

/// The provisional or final winner of a search, whether the history has stored it, and the pairs of starts that compare
/// it with the first codelet. retire() resets all of this except the cost of the pairs, since all pairs share one
/// budget (select/gain.hpp).
///
/// Pairs run in quiet starts: between two checks of production, or while a search runs the best candidate so far.
///
/// All ranks take the same branch: pairs run at start counts that follow from agreed times, and only in quiet starts,
/// which also depend on start counts.
class Incumbent {
 public:
  /// \p common_clock: Parameters::common_clock of the search. \p context must outlive the incumbent.
  Incumbent(mpi::Context& context, bool common_clock) : context_(context), pairs_(common_clock) {}

  [[nodiscard]] bool exists() const noexcept { return winner_.has_value(); }
  [[nodiscard]] bool is(ModeCandidate candidate) const noexcept { return winner_ == candidate; }
  /// The winner, or the first codelet if there is none.
  [[nodiscard]] ModeCandidate winner() const noexcept { return winner_.value_or(first_candidate); }
  /// Makes \p winner the winner. Returns false if it already was.
  bool set(ModeCandidate winner) { return std::exchange(winner_, winner) != winner; }
  /// Removes the winner, because the decision was withdrawn or the search was discarded. Waits for a pending agreement.
  void retire();

  /// True if the history contains the search of this winner.
  [[nodiscard]] bool stored() const noexcept { return stored_; }
  void set_stored() noexcept { stored_ = true; }

  /// Compares the winner with the first codelet after \p starts, by their agreed times. Continues a comparison of the
  /// same winner.
  void compare(double first_s, double winner_s, std::int64_t starts);
  /// Ends the comparison. Waits for a pending agreement.
  void abandon_comparison();
  /// True if the comparison needs more pairs.
  [[nodiscard]] bool compares() const noexcept { return pairs_.open(); }
  [[nodiscard]] std::optional<select::Gain> gain() const { return pairs_.gain(); }

  /// Sets whether the next starts are quiet: a pair may run among them.
  void set_quiet(bool quiet) noexcept { quiet_ = quiet; }
  /// Returns how many of the next \p starts, after start number \p now, come before the next step of the comparison.
  /// The remaining starts are postponed until that step is complete.
  std::int64_t before_next_step(std::int64_t starts, std::int64_t now);
  [[nodiscard]] std::int64_t postponed() const noexcept { return postponed_; }
  /// True if a step of the comparison follows the granted starts.
  [[nodiscard]] bool step_due() const noexcept { return postponed_ > 0; }

  struct Step {
    std::optional<select::Ticket> ticket;  ///< ticket of a pair; empty: the start runs the winner
    bool absorbed = false;                 ///< the ranks have agreed on a group of pairs
  };
  /// Performs the step at start number \p start: returns a start of a pair, posts the times of a group, or absorbs them
  /// some starts later. Collective; waits only for a posted agreement.
  Step step(std::int64_t start);
  /// Records the time of a start of a pair.
  void record(const select::Ticket& ticket, double seconds, double left_s) {
    pairs_.record(comparison_sample - ticket.slot, seconds, left_s);
  }

 private:
  mpi::Context& context_;
  std::optional<ModeCandidate> winner_;
  bool stored_ = false;
  select::GainPairs pairs_;
  mpi::Agreement agreement_;    ///< agreement on the times of a group of pairs
  bool quiet_ = false;          ///< pairs may run among the next starts
  std::int64_t postponed_ = 0;  ///< quiet starts after the next step
};

}  // namespace adcl::runtime
