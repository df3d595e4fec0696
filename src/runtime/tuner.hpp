/// \file tuner.hpp
/// The evaluation state that requests with the same problem share: a search, joined with MPI.
/// Source: thesis section 6.2.2.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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
#include "runtime/recollection.hpp"
#include "runtime/search_timing.hpp"
#include "runtime/study.hpp"
#include "runtime/tuner_log.hpp"
#include "search/drift.hpp"
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

class Tuner final : public Decider {
 public:
  /// \p context outlives the tuner. Local.
  /// \p recollection, null for none, is what earlier runs have learnt, and takes what this one learns.
  Tuner(mpi::Context& context, TunerSubject subject, Settings settings, Mode mode,
        std::shared_ptr<Recollection> recollection = nullptr);
  ~Tuner() override;
  Tuner(const Tuner&) = delete;
  Tuner& operator=(const Tuner&) = delete;

  /// All ranks call it at the same starts and in the same order, so the number of starts, by which agreements are
  /// posted (when a batch is exhausted) and awaited (one start later), is the same everywhere.
  search::Ticket next(std::int64_t request) override;
  [[nodiscard]] bool timed() const noexcept override {
    return (!decided_ && !resting_) || sampling_ || comparing_ || (decided_ && settings_.trace_production);
  }
  search::Ticket again() override;
  void took(const search::Ticket& ticket, double seconds, std::int64_t request) override;
  void amend(const search::Ticket& ticket, double seconds, std::int64_t request) override;
  void drop(ModeCandidate candidate, const std::string& reason, std::int64_t request) override;
  [[nodiscard]] bool is_last(ModeCandidate candidate) const override { return fates_.is_last(candidate); }
  void failed(ModeCandidate candidate, const std::string& reason) override { fates_.fail(candidate, reason); }
  [[nodiscard]] const std::string& exhausted() const noexcept override { return fates_.exhausted(); }
  /// A timer, whose combinations the candidates are, has to share which of its requests' codelets have failed: some
  /// rank has a failure. True once per agreement, on all ranks in the same start.
  [[nodiscard]] bool take_failure_of_parts() noexcept { return fates_.take_failure_of_parts(); }
  void add_preparation(double seconds) override;
  [[nodiscard]] std::shared_ptr<Licence> licence() override { return lease_.licence(); }
  void reopen(const std::string& reason) override;
  [[nodiscard]] bool decided() const noexcept override { return decided_; }
  [[nodiscard]] bool settled() const noexcept override { return decided_ || search_->provisional().has_value(); }
  [[nodiscard]] int decisions() const noexcept override { return decisions_; }
  [[nodiscard]] ModeCandidate winner() const noexcept override { return leader_.winner(); }
  [[nodiscard]] std::optional<ModeCandidate> compared() const noexcept override {
    return leader_.compares() ? std::optional(first_candidate) : std::nullopt;
  }
  [[nodiscard]] std::span<const search::Knowledge> knowledge() const override { return search_->knowledge(); }
  [[nodiscard]] bool meets() const noexcept override { return settings_.timing == Timing::barrier; }

  /// Knowledge from an earlier search, one entry per candidate; before the first start. What is verified is
  /// \p favourite; -1: the fastest.
  void prime(std::span<const estimate::Numbers> known, Trust trust, int favourite = -1);
  /// Nothing is known of this very problem: similar ones are asked, and where such a one is still searched for, the
  /// search waits for what it finds. Collective, before the first start; nothing without a history.
  void seek_advice();
  /// Tells the trace what is known from earlier runs: a winner of the same problem, or what similar ones leave out.
  /// Local.
  void note_history(const std::string& kind, const std::string& winner, const std::vector<std::string>& left_out) const;
  /// Keeps the summary for the report, once. Local.
  void report();
  /// All starts so far, those of production that did not ask among them.
  [[nodiscard]] std::int64_t starts() const noexcept { return lease_.starts(); }
  /// Those that were decided before they began, or ran what led without being measured.
  [[nodiscard]] std::int64_t production() const noexcept { return lease_.production(); }
  [[nodiscard]] const search::Search& search() const noexcept { return *search_; }
  [[nodiscard]] const TunerSubject& subject() const noexcept { return subject_; }
  [[nodiscard]] const Settings& settings() const noexcept { return settings_; }

 private:
  [[nodiscard]] bool joins_interval(std::int64_t request);
  void measured(const search::Ticket& ticket, double seconds, double left_s, std::int64_t request);
  void judge_by_operations(double irregularity);
  void absorb();
  void drop_failed(bool some);
  void verify(std::span<const estimate::Numbers> prior, int favourite, search::Doubt doubt, bool after_slowdown,
              const std::vector<estimate::Numbers>& found = {});
  void withdraw(const std::string& reason);
  [[nodiscard]] std::vector<estimate::Numbers> known_so_far() const;
  void recheck_former_winner();
  /// Why a decision is withdrawn.
  enum class Change { asked, slower, faster };
  void begin_again(const std::string& reason, Change change);
  void take(const Hint& hint);
  [[nodiscard]] const AttributeSet& attributes() const;
  [[nodiscard]] search::Parameters parameters() const;
  [[nodiscard]] std::unique_ptr<search::Search> new_search(std::vector<search::Candidate> candidates) const;
  void drop_what_was_dropped(search::Search& search) const;
  void listen();
  [[nodiscard]] bool still_waits();
  [[nodiscard]] search::Ticket while_waiting() const;
  void grant_quiet(std::int64_t quiet);
  void compare_with_first();
  search::Ticket compare();
  void took_comparison(const search::Ticket& ticket, double seconds, double left_s, std::int64_t request,
                       bool replaces);
  void leave_alone(std::int64_t starts);
  void rest(const search::Ticket& ticket);
  void watch(std::int64_t left);
  [[nodiscard]] std::int64_t between_checks() const;
  void judge_production();
  void post_check();
  [[nodiscard]] double left_now() const;
  void note_decision();
  void note_provisional();
  void keep(history::Outcome outcome);
  void note_verdict(const search::Verdict& verdict, bool provisional, bool confirmed) const;
  [[nodiscard]] std::string words_of_history() const;

  mpi::Context& context_;
  TunerSubject subject_;
  Settings settings_;
  Mode mode_;
  TunerLog log_;
  SearchTiming timing_;
  std::shared_ptr<Recollection> recollection_;
  CurrentSearch search_;
  std::shared_ptr<Study> study_;          ///< for others to wait for; null without a history
  std::shared_ptr<const Study> teacher_;  ///< what this search waits for; null: it runs
  int waited_ = 0;                        ///< starts
  Fates fates_;
  std::int64_t asker_ = 0;  ///< the request of the start under way
  mpi::Agreement agreement_;
  Lease lease_;
  std::int64_t agreement_due_ = 0;
  search::Drift drift_;  ///< of production
  /// What was known before starts began to take longer: it holds again when that is over. There is one whenever
  /// search_.after_slowdown().
  struct Before {
    std::vector<estimate::Numbers> known;
    int winner = 0;
    double winner_s = 0.0;
  };
  std::optional<Before> before_;
  int samples_left_ = 0;  ///< starts of the check under way that are still to be timed
  bool sampling_ = false;
  bool resting_ = false;    ///< the search runs its leader for a while, on a licence
  bool comparing_ = false;  ///< the last ticket was one of a comparison
  Leader leader_;
  bool check_posted_ = false;  ///< the agreement is about a check
  int asked_ = -1;             ///< the candidate of the last ticket
  bool decided_ = false;
  int decisions_ = 0;
};

/// The tuners of one problem, one per mode, made when a mode is first used.
class TunerGroup final : public Deciders {
 public:
  TunerGroup(std::shared_ptr<mpi::Context> context, TunerSubject subject, Settings settings,
             std::vector<Capabilities> capabilities, std::uint64_t signature, std::uint64_t identity,
             std::shared_ptr<Recollection> recollection = nullptr);

  /// For `split` only nonblocking codelets are candidates, unless the set or ADCL_OVERLAP_BLOCKING admits the others;
  /// with other arrays only those that are not bound to addresses.
  Tuner& in(Mode mode) override;
  /// What an earlier search knew, one entry per candidate of the problem. Throws Error(state) after the first start.
  void prime(std::vector<estimate::Numbers> known);
  /// That, in ways of use that begin later, is a prior to verify.
  void distrust() { trust_ = Trust::verify; }
  /// Keeps the summaries of all modes for the report.
  void report();
  void add_name(const std::string& name);
  [[nodiscard]] Tuner* used(Mode mode) const override { return tuners_.at(static_cast<std::size_t>(mode)).get(); }
  [[nodiscard]] Candidate candidate(Mode mode, ModeCandidate member) const override {
    return members_.at(static_cast<std::size_t>(mode)).at(place(member));
  }
  [[nodiscard]] const TunerSubject& subject() const noexcept { return subject_; }
  [[nodiscard]] const Settings& settings() const noexcept { return settings_; }
  [[nodiscard]] std::uint64_t signature() const noexcept { return signature_; }
  /// Of the problem on all ranks: what history knows it by.
  [[nodiscard]] std::uint64_t identity() const noexcept { return identity_; }

 private:
  [[nodiscard]] bool admits(Mode mode, const Capabilities& capabilities) const;
  [[noreturn]] void throw_none(Mode mode) const;

  std::shared_ptr<mpi::Context> context_;
  TunerSubject subject_;
  Settings settings_;
  std::vector<Capabilities> capabilities_;  ///< of each candidate
  std::uint64_t signature_;
  std::uint64_t identity_;
  std::shared_ptr<Recollection> recollection_;
  std::array<std::unique_ptr<Tuner>, mode_count> tuners_;
  std::array<std::vector<Candidate>, mode_count> members_;
  std::vector<estimate::Numbers> known_;
  Trust trust_ = Trust::final;
};

}  // namespace adcl::runtime
