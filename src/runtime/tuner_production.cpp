// Production: whether starts still take what they took, and the search that begins where they do not.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "runtime/tuner.hpp"

namespace adcl::runtime {
namespace {

/// More starts than any run makes: nothing watches production.
constexpr std::int64_t unwatched = std::numeric_limits<std::int64_t>::max() / 2;

// Where ADCL_MONITOR is auto: a check costs some microseconds.
constexpr double seconds_between_checks = 0.25;
constexpr double fewest_between_checks = 100.0;
constexpr double most_between_checks = 1e5;
constexpr std::int64_t usual_interval = 1000;

constexpr double as_before_ratio = 1.25;  ///< times what a codelet took before: it takes the same
constexpr double worth_doubting = 1.1;    ///< times what the former winner took

}  // namespace

/// Production: what runs out of the licence begins a check, of some starts that are timed. The start after them posts
/// what the ranks found, the start that begins the next check reads it. All of this depends on numbers of starts.
void Tuner::watch(std::int64_t left) {
  sampling_ = false;
  const std::int64_t interval = left > 0 ? left : between_checks();
  if (left > 0 || interval == unwatched) {
    const std::int64_t later = left > 0 ? leader_.postponed() : 0;
    leave_alone((left > 0 && settings_.trace_production ? left - 1 : interval) + later);
    return;
  }
  if (samples_left_ == 0) {
    judge_production();
    samples_left_ = search::Drift::samples_per_check + 1;
  }
  if (!decided_) {
    samples_left_ = 0;
    return;
  }
  --samples_left_;
  sampling_ = samples_left_ > 0;
  if (!sampling_) {
    post_check();
    check_posted_ = true;
    leave_alone(interval);
  }
}

/// What a rank that runs ahead takes by itself says nothing: there, what the slowest one takes is judged by all.
void Tuner::post_check() {
  if (timing_.whole_blocks()) {
    const double seconds = drift_.take(true);
    agreement_.post({std::isnan(seconds) ? -1.0 : seconds, fates_.flag()}, context_);
    return;
  }
  drift_.close();
  // The maximum over the ranks: how far one is off, how much slower, how much faster, whether something failed.
  agreement_.post({drift_.score(), drift_.ratio(), 1.0 / drift_.ratio(), fates_.flag()}, context_);
}

/// Starts in production that nobody looks at. The same on all ranks: the winner's time is an agreed one.
std::int64_t Tuner::between_checks() const {
  if (settings_.monitor != Settings::by_time) {
    return settings_.monitor > 0 ? settings_.monitor : unwatched;
  }
  if (!fates_.has_alternative()) {
    // There is nothing to change to, but all ranks must hear of it soon when the only codelet fails on one.
    return subject_.fallible ? std::clamp<std::int64_t>(production(), 1, usual_interval) : unwatched;
  }
  const double winner_s = search_->knowledge()[place(winner())].judged_s;
  if (!std::isfinite(winner_s)) {
    return usual_interval;
  }
  return static_cast<std::int64_t>(
      std::clamp(seconds_between_checks / std::max(winner_s, 1e-9), fewest_between_checks, most_between_checks));
}

/// Reads what the last check found.
void Tuner::judge_production() {
  if (!agreement_.active()) {
    return;
  }
  const auto found = agreement_.wait();
  if (!std::exchange(check_posted_, false)) {
    return;  // of a batch that a dropped candidate ended
  }
  if (found.back() > 0.0) {
    drop_failed(true);
    return;
  }
  if (!fates_.has_alternative()) {
    return;
  }
  if (timing_.whole_blocks()) {
    drift_.judge(found[0]);
  }
  const double score = timing_.whole_blocks() ? drift_.score() : found[0];
  const double slower = timing_.whole_blocks() ? drift_.ratio() : found[1];
  const double faster = timing_.whole_blocks() ? 1.0 / drift_.ratio() : found[2];
  if (score >= 1.0) {
    begin_again(slower >= faster
                    ? text("starts take up to ", slower, " times as long as after the decision")
                    : text("starts take down to ", 1.0 / faster, " of the time they took after the decision"),
                slower >= faster ? Change::slower : Change::faster);
  }
}

void Tuner::reopen(const std::string& reason) {
  if (decided_) {
    begin_again(reason, Change::asked);
  }
}

/// The decision no longer holds.
void Tuner::withdraw(const std::string& reason) {
  lease_.revoke();
  log_.reopening(starts(), production(), winner(), reason);
  leader_.retire();
  if (agreement_.active()) {
    agreement_.wait();  // of a check, or of a batch that a dropped candidate ended
  }
  check_posted_ = false;
  drift_ = {};
  samples_left_ = 0;
  sampling_ = false;
  decided_ = false;
}

std::vector<estimate::Numbers> Tuner::known_so_far() const {
  std::vector<estimate::Numbers> known;
  for (const search::Knowledge& one : search_->knowledge()) {
    known.push_back(search::as_prior(one));
  }
  return known;
}

/// When starts take longer, what is known is verified, and kept for when they take as long as before again. When they
/// take less than they did, the knowledge is that of a disturbed machine.
void Tuner::begin_again(const std::string& reason, Change change) {
  const bool faster = change == Change::faster;
  std::vector<estimate::Numbers> prior = known_so_far();
  int favourite = static_cast<int>(winner());
  const double winner_s = search_->knowledge()[place(winner())].judged_s;
  withdraw(reason);
  if (faster && before_.has_value()) {
    prior = before_->known;
    favourite = before_->winner;
  } else if (!faster && (!before_.has_value() || winner_s < before_->winner_s)) {
    before_ = Before{prior, favourite, winner_s};
  }
  verify(prior, favourite, faster ? search::Doubt::faster : search::Doubt::slower, change == Change::slower);
  note_decision();
}

/// After a slowdown, the search has found a winner that takes as long as it took before the slowdown. Then either only
/// the former winner has become slower, or the disturbance ended during the search and the former winner's new times
/// are out of date. The former winner runs a few more times: it wins if it has its old time, else the search's winner
/// stays. All ranks take the same branch: the search is the same on all of them, and its times and those before it are
/// agreed.
void Tuner::recheck_former_winner() {
  if (!decided_ || !search_.after_slowdown() || search_.confirms()) {
    return;
  }
  const auto former = static_cast<std::size_t>(before_->winner);
  const double winner_s = search_->knowledge()[place(winner())].judged_s;
  const estimate::Numbers& then = before_->known[place(winner())];
  const bool as_before = then.measurements >= 1.0 && winner_s <= as_before_ratio * then.filtered_mean_s;
  if (place(winner()) == former || fates_.dropped(ModeCandidate{before_->winner}) || !as_before ||
      winner_s <= worth_doubting * before_->winner_s) {
    return;
  }
  const auto found = known_so_far();
  withdraw(text(subject_.candidates[place(winner())].name, " takes as long as before starts became slower: so may ",
                subject_.candidates[former].name));
  verify(before_->known, before_->winner, search::Doubt::slower, false, found);
  note_decision();
}

}  // namespace adcl::runtime
