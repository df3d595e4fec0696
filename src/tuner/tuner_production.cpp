// Production: checks whether starts keep their time, and compares the winner with the first codelet.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "measure/stopwatch.hpp"
#include "mpi/clock.hpp"
#include "tuner/tuner.hpp"

namespace adcl::runtime {
namespace {

/// More starts than any run has: production is not monitored.
constexpr std::int64_t unmonitored = std::numeric_limits<std::int64_t>::max() / 2;

// For ADCL_MONITOR=auto: a check costs some microseconds.
constexpr double seconds_between_checks = 0.25;
constexpr double min_starts_between_checks = 100.0;
constexpr double max_starts_between_checks = 1e5;
constexpr std::int64_t usual_interval = 1000;

constexpr double unchanged_ratio = 1.25;  ///< up to this multiple of its earlier time, a codelet is unchanged
constexpr double recheck_ratio = 1.1;     ///< beyond this multiple of its earlier time, the former winner is re-checked

constexpr double unknown_s = std::numeric_limits<double>::quiet_NaN();

}  // namespace

/// When the lease ends, a check begins: some starts are timed. The start after these starts posts their numbers; the
/// start that begins the next check reads the reduced numbers. All of this depends on start counts.
void Tuner::monitor(Production& production, std::int64_t left) {
  if (production.samples_left > 0) {
    if (--production.samples_left == 0) {
      post_check(production);
      grant_unmonitored(starts_between_checks());
    }
    return;
  }
  const std::int64_t interval = left > 0 ? left : starts_between_checks();
  if (left > 0 || interval == unmonitored) {
    const std::int64_t later = left > 0 ? incumbent_.postponed() : 0;
    grant_unmonitored((left > 0 && settings_->trace_production ? left - 1 : interval) + later);
    return;
  }
  judge_check(production);
  if (auto* now = std::get_if<Production>(&state_)) {
    now->samples_left = measure::Drift::samples_per_check;
  }
}

/// If ranks run ahead of each other, the time of a single rank is meaningless: all ranks judge the time of the slowest
/// rank.
void Tuner::post_check(Production& production) {
  measure::Drift& drift = production.drift;
  if (timing_.whole_blocks()) {
    const double seconds = drift.finish_check(true);
    agreement_.post({std::isnan(seconds) ? -1.0 : seconds, failures_.flag()}, context_);
    return;
  }
  drift.close();
  // Reduced with MAX: deviation, slowdown, speedup, failure flag.
  agreement_.post({drift.score(), drift.ratio(), 1.0 / drift.ratio(), failures_.flag()}, context_);
}

void Tuner::judge_check(Production& production) {
  if (!agreement_.active()) {
    return;
  }
  const auto found = agreement_.wait();
  if (found.back() > 0.0) {
    drop_failed();
    return;
  }
  if (!failures_.has_alternative()) {
    return;
  }
  measure::Drift& drift = production.drift;
  if (timing_.whole_blocks()) {
    drift.judge(found[0]);
  }
  const double score = timing_.whole_blocks() ? drift.score() : found[0];
  const double slower = timing_.whole_blocks() ? drift.ratio() : found[1];
  const double faster = timing_.whole_blocks() ? 1.0 / drift.ratio() : found[2];
  if (score >= 1.0) {
    withdraw_decision(slower >= faster
                          ? text("starts take up to ", slower, " times as long as after the decision")
                          : text("starts take only ", 1.0 / faster, " times as long as after the decision"),
                      slower >= faster ? Change::slower : Change::faster);
  }
}

/// Starts in production between two checks. The same on all ranks: the winner's time is agreed.
std::int64_t Tuner::starts_between_checks() const {
  if (settings_->monitor != Settings::by_time) {
    return settings_->monitor > 0 ? settings_->monitor : unmonitored;
  }
  if (!failures_.has_alternative()) {
    // There is no alternative, but all ranks must notice soon if the only codelet fails on one.
    return subject_.fallible ? std::clamp<std::int64_t>(production(), 1, usual_interval) : unmonitored;
  }
  if (!std::isfinite(winner_s())) {
    return usual_interval;
  }
  return static_cast<std::int64_t>(std::clamp(seconds_between_checks / std::max(winner_s(), 1e-9),
                                              min_starts_between_checks, max_starts_between_checks));
}

void Tuner::reopen(const std::string& reason) {
  if (is<Production>()) {
    withdraw_decision(reason, Change::requested);
  }
}

/// Withdraws the decision. If starts take longer, verifies the known results, and keeps them for the end of the
/// slowdown. If starts take less time, the known results come from a disturbed machine.
void Tuner::withdraw_decision(const std::string& reason, Change change) {
  const bool faster = change == Change::faster;
  std::vector<measure::Numbers> prior = known_numbers();
  int verified = static_cast<int>(winner());
  if (faster && before_slowdown_.has_value()) {
    prior = before_slowdown_->known;
    verified = before_slowdown_->winner;
  } else if (!faster && (!before_slowdown_.has_value() || winner_s() < before_slowdown_->winner_s)) {
    before_slowdown_ = BeforeSlowdown{prior, verified, winner_s()};
  }
  enter(Verifying{{change == Change::slower}}, reason);
  replace_with_verification(prior, verified, faster ? select::Recheck::faster : select::Recheck::slower);
  update_state();
}

/// After a slowdown, the search has found a winner that takes as long as it took before the slowdown. Then either only
/// the former winner has become slower, or the disturbance ended during the search and the former winner's new times
/// are out of date. The former winner runs a few more times: it wins if it takes its earlier time; otherwise the
/// search's winner stays. All ranks take the same branch: the search is the same on all of them, and its times and the
/// earlier times are agreed.
void Tuner::recheck_former_winner() {
  const auto* production = std::get_if<Production>(&state_);
  if (!before_slowdown_.has_value() || production == nullptr || production->confirmed) {
    return;
  }
  const BeforeSlowdown& before = *before_slowdown_;
  const ModeCandidate former{before.winner};
  const measure::Numbers& then = before.known[index_of(winner())];
  const bool as_before = then.measurements >= 1.0 && winner_s() <= unchanged_ratio * then.filtered_mean_s;
  if (winner() == former || failures_.dropped(former) || !as_before || winner_s() <= recheck_ratio * before.winner_s) {
    return;
  }
  const auto found = known_numbers();
  enter(Verifying{}, text(name(winner()), " takes as long as before the slowdown; re-check of ", name(former)));
  replace_with_verification(before.known, before.winner, select::Recheck::slower, found);
  update_state();
}

/// Does not time the next \p starts in production. The lease covers these starts, unless every start is traced; traced
/// starts consult the tuner.
void Tuner::grant_unmonitored(std::int64_t starts) {
  incumbent_.set_quiet(true);
  grant_quiet(starts);
}

/// Grants the starts before the next step of the comparison; the remaining starts follow that step.
void Tuner::grant_quiet(std::int64_t quiet) {
  lease_.grant(incumbent_.before_next_step(quiet, starts()), decided() && settings_->trace_production);
}

/// Compares the winner with the first codelet of the table. Does not compare if monitoring is off, or for a timer,
/// which has no first codelet, or if ranks must synchronize before a block: the application never stops for a
/// comparison.
void Tuner::compare_with_first() {
  if (settings_->monitor == 0 || log_.mode() == Mode::timed || timing_.whole_blocks() || winner() == first_candidate ||
      failures_.dropped(first_candidate)) {
    incumbent_.abandon_comparison();
    return;
  }
  incumbent_.compare(search_->knowledge().front().judged_s, winner_s(), starts());
}

/// Runs a start of a pair. After the last start of a group, posts the numbers of the group, and absorbs them some
/// starts later; both happen in quiet starts, which then continue.
select::Ticket Tuner::step_comparison() {
  lease_.count_production();
  const Incumbent::Step step = incumbent_.step(starts());
  if (const auto gain = step.absorbed ? incumbent_.gain() : std::nullopt; gain.has_value()) {
    log_.write(GainRecord{subject_.id, mode_name(log_.mode()), starts(), name(winner()), name(first_candidate),
                          gain->speedup, gain->low, gain->high, gain->pairs});
  }
  if (step.ticket.has_value()) {
    current_.pair = true;
    return *step.ticket;
  }
  grant_quiet(incumbent_.postponed() - 1);
  return {static_cast<int>(winner()), -1, starts()};
}

/// Ends the measurement that this start completes, if any. Returns true if the start joins a running measurement.
bool Tuner::joins_interval(std::int64_t request) {
  Intervals* intervals = timing_.intervals();
  if (intervals == nullptr) {
    return false;
  }
  const auto ended = intervals->start(
      request, {measure::now(), measure::library_time.preparation_s, measure::library_time.operations_s});
  if (ended.has_value()) {
    select::Ticket ticket = ended->ticket;
    ticket.slot = ended->valid ? ticket.slot : -1;
    record_measurement(ticket, ended->seconds, unknown_s, ended->request);
  }
  return intervals->joins();
}

/// Completion time of the operation that ends now; NaN if arrivals are not measured.
double Tuner::completion_time() const {
  return timing_.common_clock() ? measure::now() + mpi::node_clock_offset_s() : unknown_s;
}

void Tuner::record_time(const select::Ticket& ticket, double seconds, std::int64_t request) {
  if (is_comparison(ticket)) {
    record_pair(ticket, seconds, completion_time(), request, false);
    return;
  }
  if (auto* production = std::get_if<Production>(&state_)) {
    if (incumbent_.is(ModeCandidate{ticket.candidate})) {
      if (production->samples_left > 0 || !settings_->trace_production) {
        production->drift.record(seconds);
      }
      log_.measurement(ticket, seconds, completion_time(), request, true, false);
    }
    return;
  }
  Intervals* intervals = timing_.intervals();
  if (!decided() && !(intervals != nullptr && intervals->record_time(ticket, seconds))) {
    record_measurement(ticket, seconds, completion_time(), request);
  }
}

void Tuner::record_pair(const select::Ticket& ticket, double seconds, double left_s, std::int64_t request,
                        bool replaces) {
  if (ticket.slot <= comparison_sample) {
    incumbent_.record(ticket, seconds, left_s);
    log_.measurement(ticket, seconds, left_s, request, true, replaces);
  }
}

/// Records a time of the search.
void Tuner::record_measurement(const select::Ticket& ticket, double seconds, double left_s, std::int64_t request) {
  log_.spend(ticket, seconds);
  search_->spend(ticket.candidate, seconds);
  if (ticket.slot >= 0 && search_->record(ticket, seconds, left_s)) {
    log_.measurement(ticket, seconds, left_s, request, false, false);
  }
}

void Tuner::amend(const select::Ticket& ticket, double seconds, std::int64_t request) {
  if (is_comparison(ticket)) {
    record_pair(ticket, seconds, unknown_s, request, true);
    return;
  }
  if (auto* production = std::get_if<Production>(&state_)) {
    if (production->samples_left > 0) {
      production->drift.amend(seconds);
    }
    if (timed() && incumbent_.is(ModeCandidate{ticket.candidate})) {
      log_.measurement(ticket, seconds, unknown_s, request, true, true);
    }
  }
  if (decided()) {
    return;
  }
  if (Intervals* intervals = timing_.intervals(); intervals != nullptr && intervals->replace(ticket)) {
    record_measurement(ticket, seconds, unknown_s, request);
    return;
  }
  if (ticket.slot >= 0 && search_->amend(ticket, seconds)) {
    if (const double difference_s = log_.correct(ticket, seconds); difference_s != 0.0) {
      search_->spend(ticket.candidate, difference_s);
    }
    log_.measurement(ticket, seconds, unknown_s, request, false, true);
  }
}

}  // namespace adcl::runtime
