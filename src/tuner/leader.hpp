/// \file leader.hpp
/// The winner so far, with its comparison with the first codelet of the table.
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

/// The provisional or final winner of a search. What belongs to it ends with it: whether the history has it, and the
/// pairs of starts that compare it with the first codelet. Only what the pairs have cost is remembered, since all pairs
/// share one budget (select/gain.hpp).
///
/// Pairs run in quiet starts: between two checks of production, or while a search runs its leader.
///
/// Why all ranks take the same branch: pairs run at numbers of starts that follow from agreed times, and in quiet
/// starts only, which numbers of starts decide, too.
class Leader {
 public:
  /// \p common_clock: select::Parameters. \p context outlives the leader.
  Leader(mpi::Context& context, bool common_clock) : context_(context), pairs_(common_clock) { pairs_.abandon(); }

  [[nodiscard]] bool stands() const noexcept { return winner_.has_value(); }
  [[nodiscard]] bool is(ModeCandidate candidate) const noexcept { return winner_ == candidate; }
  /// The winner; the first codelet where none stands.
  [[nodiscard]] ModeCandidate winner() const noexcept { return winner_.value_or(first_candidate); }
  /// \p winner leads its search from now on. False: it did already.
  bool lead(ModeCandidate winner) { return std::exchange(winner_, winner) != winner; }
  /// No winner stands: the decision was withdrawn, or the search was discarded. Waits for an agreement under way.
  void retire();

  /// The search that the winner leads is in the history.
  [[nodiscard]] bool stored() const noexcept { return stored_; }
  void set_stored() noexcept { stored_ = true; }

  /// Compares the winner with the first codelet after \p starts, by their agreed times; goes on where it does already.
  void compare(double first_s, double winner_s, std::int64_t starts);
  /// Waits for an agreement under way.
  void abandon_comparison();
  /// More pairs are to run.
  [[nodiscard]] bool compares() const noexcept { return pairs_.open(); }
  [[nodiscard]] std::optional<select::Gain> gain() const { return pairs_.gain(); }

  /// Whether the starts that follow are quiet.
  void set_quiet(bool quiet) noexcept { quiet_ = quiet; }
  /// Of \p starts that follow the start number \p now, those before the next step of the comparison; the others are
  /// postponed until that step is complete.
  std::int64_t before_next_step(std::int64_t starts, std::int64_t now);
  [[nodiscard]] std::int64_t postponed() const noexcept { return postponed_; }
  /// A step of the comparison is due where no start is left before it.
  [[nodiscard]] bool step_due() const noexcept { return postponed_ > 0; }

  struct Step {
    std::optional<select::Ticket> ticket;  ///< of a pair; nothing: the start runs the winner
    bool absorbed = false;                 ///< the ranks have agreed on a group of pairs
  };
  /// The step at the start number \p start: a start of a pair, or the times of a group are posted, or, some starts
  /// later, absorbed. Collective, does not wait but for what was posted.
  Step step(std::int64_t start);
  /// The time of a start of a pair.
  void record(const select::Ticket& ticket, double seconds, double left_s) {
    pairs_.record(comparison_sample - ticket.slot, seconds, left_s);
  }

 private:
  mpi::Context& context_;
  std::optional<ModeCandidate> winner_;
  bool stored_ = false;
  select::GainPairs pairs_;
  mpi::Agreement agreement_;    ///< on the times of a group of pairs
  bool quiet_ = false;          ///< a step may interrupt the starts that follow
  std::int64_t postponed_ = 0;  ///< quiet starts that follow the next step
};

}  // namespace adcl::runtime
