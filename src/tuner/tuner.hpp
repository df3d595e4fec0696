/// \file tuner.hpp
/// Decides for requests with the same problem in one mode: a state machine that joins a search with MPI.
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
#include "options/options.hpp"
#include "select/search.hpp"
#include "select/subject.hpp"
#include "select/verification.hpp"
#include "tuner/decider.hpp"
#include "tuner/failures.hpp"
#include "tuner/incumbent.hpp"
#include "tuner/indices.hpp"
#include "tuner/lease.hpp"
#include "tuner/problem_history.hpp"
#include "tuner/search_timing.hpp"
#include "tuner/tuner_log.hpp"
#include "tuner/tuner_state.hpp"

namespace adcl::runtime {

/// Runs a search, then its winner, and checks whether the winner keeps its time. tuner_state.hpp lists the states; only
/// enter() changes the state:
///
///     Exploring  -> Waiting     the search of a similar problem is running
///     Waiting    -> Exploring   the other search is over, or takes too long
///     Exploring  -> Verifying   an earlier run has a winner
///     Verifying  -> Exploring   the winner has not kept its time
///     Exploring  -> Exploring   starts are irregular: operations are timed from now on
///     any search -> Production  the search has a winner
///     Production -> Verifying   starts became slower or faster; the application requests it; or the search after a
///                               slowdown has a winner, and the former winner is re-checked
///     Production -> Exploring   the winner is dropped; the search selects another winner
///     any        -> Exhausted   the last candidate fails
///
/// All ranks take the same branch: transitions depend on start counts, on reduced numbers, and on calls that all ranks
/// make between the same starts.
class Tuner final : public Decider {
 public:
  /// \p context outlives the tuner. \p history: null: none. Local.
  Tuner(mpi::Context& context, select::Subject subject, std::shared_ptr<const Settings> settings, Mode mode,
        std::shared_ptr<ProblemHistory> history = nullptr);
  ~Tuner() override;
  Tuner(const Tuner&) = delete;
  Tuner& operator=(const Tuner&) = delete;

  /// All ranks call next() at the same starts and in the same order. So all ranks post agreements (when a batch is
  /// exhausted) and await them (one start later) at the same start count.
  select::Ticket next(std::int64_t request) override;
  [[nodiscard]] bool timed() const noexcept override;
  select::Ticket next_after_drop() override;
  void record_time(const select::Ticket& ticket, double seconds, std::int64_t request) override;
  void amend(const select::Ticket& ticket, double seconds, std::int64_t request) override;
  void drop(ModeCandidate candidate, const std::string& reason, std::int64_t request) override;
  [[nodiscard]] bool is_last(ModeCandidate candidate) const override { return failures_.is_last(candidate); }
  void add_failure(ModeCandidate candidate, const std::string& reason) override { failures_.fail(candidate, reason); }
  [[nodiscard]] const std::string& final_failure() const noexcept override;
  /// For a timer, whose combinations are the candidates: some rank has a failure, so the timer must exchange the failed
  /// codelets of its requests. True once per agreement, on all ranks in the same start.
  [[nodiscard]] bool take_passed_to_timer() noexcept { return failures_.take_passed_to_timer(); }
  void add_preparation(double seconds) override;
  [[nodiscard]] std::shared_ptr<LeaseCounter> lease() override { return lease_.counter(); }
  void reopen(const std::string& reason) override;
  [[nodiscard]] bool decided() const noexcept override { return is<Production>() || is<Exhausted>(); }
  [[nodiscard]] bool has_winner() const noexcept override { return decided() || search_->provisional().has_value(); }
  [[nodiscard]] int decisions() const noexcept override { return lease_.decisions(); }
  [[nodiscard]] ModeCandidate winner() const noexcept override { return incumbent_.winner(); }
  [[nodiscard]] std::optional<ModeCandidate> compared_candidate() const noexcept override {
    return incumbent_.compares() ? std::optional(first_candidate) : std::nullopt;
  }
  [[nodiscard]] std::span<const select::Knowledge> knowledge() const override { return search_->knowledge(); }
  [[nodiscard]] bool synchronizes() const noexcept override { return settings_->timing == Timing::barrier; }

  /// Takes the results of an earlier search, one entry per candidate; known candidates are not measured again. Before
  /// the first start.
  void prime(std::span<const measure::Numbers> known);
  /// Like prime(), but measures \p known_winner (-1: the fastest candidate) a few times. It wins at once if it keeps
  /// its time.
  void verify(std::span<const measure::Numbers> known, int known_winner = -1);
  /// Takes advice from similar problems, or waits while the search of a similar problem is running. Does nothing
  /// without a history. Collective; before the first start.
  void take_advice();
  /// Writes earlier results to the trace: a winner of the same problem, or the candidates that similar problems
  /// exclude. Only with a history. Local.
  void trace_history(const std::string& kind, const std::string& winner,
                     const std::vector<std::string>& left_out) const;
  /// Keeps the summary for the report, once. Local.
  void report();
  /// All starts so far, including starts that did not consult the tuner.
  [[nodiscard]] std::int64_t starts() const noexcept { return lease_.starts(); }
  /// Starts that ran the winner, or the best candidate of the search, without being measured for the search.
  [[nodiscard]] std::int64_t production() const noexcept { return lease_.production(); }
  [[nodiscard]] const TunerState& state() const noexcept { return state_; }
  [[nodiscard]] const select::Subject& subject() const noexcept { return subject_; }

 private:
  /// The current start.
  struct CurrentStart {
    std::int64_t request = 0;
    int candidate = -1;  ///< candidate of the last ticket of the search or of production
    bool pair = false;   ///< the start belongs to a comparison with the first codelet
  };
  /// The reason why the winner is measured again.
  enum class Change { requested, slower, faster };
  /// Results from before a slowdown, which apply again after it.
  struct BeforeSlowdown {
    std::vector<measure::Numbers> known;  ///< one entry per candidate
    int winner = 0;
    double winner_s = 0.0;
  };

  // States.
  template <typename S>
  [[nodiscard]] bool is() const noexcept {
    return std::holds_alternative<S>(state_);
  }
  void enter(TunerState next, const std::string& reason = "");
  void begin_production();
  void update_state();

  // Searches.
  [[nodiscard]] select::Parameters parameters() const;
  [[nodiscard]] std::unique_ptr<select::Search> new_search(std::vector<select::Candidate> candidates) const;
  void replace_search(std::unique_ptr<select::Search> search);
  void replace_with_verification(std::span<const measure::Numbers> prior, int known_winner, select::Recheck cause,
                                 const std::vector<measure::Numbers>& found = {});
  void apply(const Advice& advice);
  [[nodiscard]] bool continue_waiting();
  [[nodiscard]] select::Ticket best_of_awaited() const;
  void continue_search(Searching& search);
  void absorb(bool recheck);
  void take_measurements_of_peers();
  void switch_to_operation_times(double irregularity);
  void drop_failed();
  void pause(const select::Ticket& ticket);
  [[nodiscard]] std::vector<measure::Numbers> known_numbers() const;

  // Production.
  void monitor(Production& production, std::int64_t left);
  void post_check(Production& production);
  void judge_check(Production& production);
  [[nodiscard]] std::int64_t starts_between_checks() const;
  void withdraw_decision(const std::string& reason, Change change);
  void recheck_former_winner();
  void grant_unmonitored(std::int64_t starts);
  void grant_quiet(std::int64_t quiet);
  void compare_with_first();
  select::Ticket step_comparison();

  // Times and results.
  [[nodiscard]] bool joins_interval(std::int64_t request);
  void record_measurement(const select::Ticket& ticket, double seconds, double left_s, std::int64_t request);
  void record_pair(const select::Ticket& ticket, double seconds, double left_s, std::int64_t request, bool replaces);
  [[nodiscard]] double completion_time() const;
  [[nodiscard]] const std::string& name(ModeCandidate candidate) const {
    return subject_.candidates[index_of(candidate)].name;
  }
  [[nodiscard]] double winner_s() const { return search_->knowledge()[index_of(winner())].judged_s; }
  void record_provisional_winner();
  void store(history::Outcome outcome);
  void release_waiting_searches();
  void trace_decision(const select::Verdict& verdict, bool provisional, bool confirmed) const;

  mpi::Context& context_;
  select::Subject subject_;
  std::shared_ptr<const Settings> settings_;
  TunerLog log_;
  SearchTiming timing_;
  std::shared_ptr<ProblemHistory> history_;       ///< null: none
  std::shared_ptr<ConcurrentSearch> own_search_;  ///< what similar searches read; null before take_advice()
  std::unique_ptr<select::Search> search_;
  Failures failures_;
  Lease lease_;
  Incumbent incumbent_;
  mpi::Agreement agreement_;  ///< agreement on a complete batch of the search, or on a complete check of production
  CurrentStart current_;
  TunerState state_;
  std::optional<BeforeSlowdown> before_slowdown_;  ///< empty: there was no slowdown
};

}  // namespace adcl::runtime
