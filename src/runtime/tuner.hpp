/// \file tuner.hpp
/// Decides for requests with the same problem in one way of use: a state machine that joins a search with MPI.
/// Source: thesis section 6.2.2.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/codelet.hpp"
#include "mpi/agreement.hpp"
#include "mpi/context.hpp"
#include "runtime/current_search.hpp"
#include "runtime/decider.hpp"
#include "runtime/fates.hpp"
#include "runtime/indices.hpp"
#include "runtime/leader.hpp"
#include "runtime/lease.hpp"
#include "runtime/options.hpp"
#include "runtime/search_timing.hpp"
#include "runtime/tuner_history.hpp"
#include "runtime/tuner_log.hpp"
#include "runtime/tuner_state.hpp"
#include "search/search.hpp"

namespace adcl::runtime {

/// What a search decides about, and what reports say of it.
struct TunerSubject {
  std::int64_t id = 0;  ///< the same on all ranks of the communicator
  std::string function_set;
  std::string problem;
  std::shared_ptr<const AttributeSet> attributes;  ///< of the function set, which is kept alive; null: none
  std::vector<search::Candidate> candidates;
  /// Blocking ways of use have blocking candidates only, the others non-blocking ones: the bits of MPI's own calls.
  bool same_bits = false;
  /// Blocking candidates are ones of init and wait as well: FunctionSet::overlaps.
  bool overlaps = false;
  /// Codelets are functions of the application's own, which may fail when they run.
  bool fallible = false;
  /// A rank may be done before others have begun: Problem::runs_ahead.
  bool runs_ahead = false;
  /// What the application calls the requests that share the search; one list for all ways of use.
  std::shared_ptr<std::vector<std::string>> names = std::make_shared<std::vector<std::string>>();
};

/// What earlier knowledge is good for.
enum class Trust {
  final,  ///< what is known is not measured again
  verify  ///< its winner is measured a few times, and wins at once if it is what it was
};

/// Runs a search, then its winner, and checks whether the winner keeps its time. tuner_state.hpp lists the states;
/// enter() is the only way from one to another:
///
///     Exploring  -> Waiting     a similar problem is still being searched for
///     Waiting    -> Exploring   the other search is over, or takes too long
///     Exploring  -> Verifying   an earlier run has a winner
///     Verifying  -> Exploring   the winner has not kept its time
///     Exploring  -> Exploring   starts come irregularly: the times are those of operations from now on
///     any search -> Production  the search has a winner
///     Production -> Verifying   starts take longer, or less time; the application asks for it; or the search after a
///                               slowdown has a winner, and the former one is re-checked
///     Production -> Exploring   the winner is dropped; the search names the next one
///     any        -> Exhausted   the last candidate fails
///
/// Why all ranks take the same branch: transitions follow from numbers of starts, from reduced numbers, and from calls
/// that all ranks make between the same starts.
class Tuner final : public Decider {
 public:
  /// \p context outlives the tuner. \p recollection: what earlier runs have stored; null: no history. Local.
  Tuner(mpi::Context& context, TunerSubject subject, std::shared_ptr<const Settings> settings, Mode mode,
        std::shared_ptr<Recollection> recollection = nullptr);
  ~Tuner() override { report(); }
  Tuner(const Tuner&) = delete;
  Tuner& operator=(const Tuner&) = delete;

  /// All ranks call it at the same starts and in the same order, so the number of starts, by which agreements are
  /// posted (when a batch is exhausted) and awaited (one start later), is the same everywhere.
  search::Ticket next(std::int64_t request) override;
  [[nodiscard]] bool timed() const noexcept override;
  search::Ticket again() override;
  void took(const search::Ticket& ticket, double seconds, std::int64_t request) override;
  void amend(const search::Ticket& ticket, double seconds, std::int64_t request) override;
  void drop(ModeCandidate candidate, const std::string& reason, std::int64_t request) override;
  [[nodiscard]] bool is_last(ModeCandidate candidate) const override { return fates_.is_last(candidate); }
  void failed(ModeCandidate candidate, const std::string& reason) override { fates_.fail(candidate, reason); }
  [[nodiscard]] const std::string& exhausted() const noexcept override;
  /// A timer, whose combinations the candidates are, has to share which of its requests' codelets have failed: some
  /// rank has a failure. True once per agreement, on all ranks in the same start.
  [[nodiscard]] bool take_failure_of_parts() noexcept { return fates_.take_failure_of_parts(); }
  void add_preparation(double seconds) override;
  [[nodiscard]] std::shared_ptr<Licence> licence() override { return lease_.licence(); }
  void reopen(const std::string& reason) override;
  [[nodiscard]] bool decided() const noexcept override { return is<Production>() || is<Exhausted>(); }
  [[nodiscard]] bool settled() const noexcept override { return decided() || search_->provisional().has_value(); }
  [[nodiscard]] int decisions() const noexcept override { return decisions_; }
  [[nodiscard]] ModeCandidate winner() const noexcept override { return leader_.winner(); }
  [[nodiscard]] std::optional<ModeCandidate> compared() const noexcept override {
    return leader_.compares() ? std::optional(first_candidate) : std::nullopt;
  }
  [[nodiscard]] std::span<const search::Knowledge> knowledge() const override { return search_->knowledge(); }
  [[nodiscard]] bool meets() const noexcept override { return settings_->timing == Timing::barrier; }

  /// Knowledge from an earlier search, one entry per candidate; before the first start. \p favourite is verified; -1:
  /// the fastest candidate.
  void prime(std::span<const estimate::Numbers> known, Trust trust, int favourite = -1);
  /// Takes advice from similar problems, or waits while such a problem is still being searched for. Does nothing
  /// without a history. Collective; before the first start.
  void seek_advice();
  /// Writes to the trace what is known from earlier runs: a winner of the same problem, or what similar ones leave out.
  /// Local.
  void note_history(const std::string& kind, const std::string& winner, const std::vector<std::string>& left_out) const;
  /// Keeps the summary for the report, once. Local.
  void report();
  /// All starts so far, including those that did not ask.
  [[nodiscard]] std::int64_t starts() const noexcept { return lease_.starts(); }
  /// The starts that ran the winner, or the leader of the search, without being measured for the search.
  [[nodiscard]] std::int64_t production() const noexcept { return lease_.production(); }
  [[nodiscard]] const TunerState& state() const noexcept { return state_; }
  [[nodiscard]] const search::Search& search() const noexcept { return *search_; }
  [[nodiscard]] const TunerSubject& subject() const noexcept { return subject_; }
  [[nodiscard]] const Settings& settings() const noexcept { return *settings_; }

 private:
  /// The start under way.
  struct Turn {
    std::int64_t request = 0;
    int candidate = -1;  ///< of the last ticket of the search or of production
    bool pair = false;   ///< it compares the winner with the first codelet
  };
  /// Why the winner is measured again.
  enum class Change { asked, slower, faster };

  // States.
  template <typename S>
  [[nodiscard]] bool is() const noexcept {
    return std::holds_alternative<S>(state_);
  }
  [[nodiscard]] BeforePointer before() const;
  void enter(TunerState next, const std::string& reason);
  void begin_production(const std::string& reason);
  void follow_search();

  // Searches.
  [[nodiscard]] const AttributeSet& attributes() const;
  [[nodiscard]] search::Parameters parameters() const;
  [[nodiscard]] std::unique_ptr<search::Search> new_search(std::vector<search::Candidate> candidates) const;
  template <typename S>
  void replace_search(std::unique_ptr<S> search);
  void verify(std::span<const estimate::Numbers> prior, int favourite, search::Doubt doubt,
              const std::vector<estimate::Numbers>& found = {});
  void take(const Hint& hint);
  [[nodiscard]] bool still_waits();
  [[nodiscard]] search::Ticket while_waiting() const;
  void search_on(Searching& search);
  void absorb(Searching& search);
  void judge_by_operations(double irregularity);
  void drop_failed(bool some);
  void rest(const search::Ticket& ticket);
  [[nodiscard]] std::vector<estimate::Numbers> known_so_far() const;

  // Production.
  void watch(Production& production, std::int64_t left);
  void post_check(Production& production);
  void judge_check(Production& production);
  [[nodiscard]] std::int64_t between_checks() const;
  void reconsider(const std::string& reason, Change change);
  void recheck_former_winner(const BeforePointer& before);
  void leave_alone(std::int64_t starts);
  void grant_quiet(std::int64_t quiet);
  void compare_with_first();
  search::Ticket compare();

  // Times and results.
  [[nodiscard]] bool joins_interval(std::int64_t request);
  void measured(const search::Ticket& ticket, double seconds, double left_s, std::int64_t request);
  void took_pair(const search::Ticket& ticket, double seconds, double left_s, std::int64_t request, bool replaces);
  [[nodiscard]] double left_now() const;
  void note_provisional();
  void keep(history::Outcome outcome);
  void note_verdict(const search::Verdict& verdict, const std::string& reason, bool provisional, bool confirmed) const;

  mpi::Context& context_;
  TunerSubject subject_;
  std::shared_ptr<const Settings> settings_;
  Mode mode_;
  TunerLog log_;
  SearchTiming timing_;
  TunerHistory history_;
  CurrentSearch search_;
  Fates fates_;
  Lease lease_;
  Leader leader_;
  mpi::Agreement agreement_;  ///< on a batch while Agreeing, on a check while Posted
  Turn turn_;
  TunerState state_;
  int decisions_ = 0;
};

}  // namespace adcl::runtime
