#include "runtime/emethod.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "runtime/report.hpp"
#include "runtime/trace.hpp"
#include "search/verification.hpp"

namespace adcl::runtime {
namespace {

/// More starts than any run makes: nothing watches production.
constexpr std::int64_t unwatched = std::numeric_limits<std::int64_t>::max() / 2;

// Where ADCL_MONITOR is auto: a check costs some microseconds.
constexpr double seconds_between_checks = 0.25;
constexpr double fewest_between_checks = 100.0;
constexpr double most_between_checks = 1e5;
constexpr std::int64_t usual_interval = 1000;

}  // namespace

Emethod::Emethod(mpi::Context& context, EmethodSubject subject, Settings settings, Mode mode,
                 std::shared_ptr<Recollection> recollection)
    : context_(context),
      subject_(std::move(subject)),
      settings_(std::move(settings)),
      mode_(mode),
      sees_arrivals_((settings_.timing == Timing::arrival || settings_.timing == Timing::interval) &&
                     mode_ != Mode::timed && context_.machine().nodes.count == 1),
      recollection_(std::move(recollection)),
      search_(new_search(subject_.candidates)),
      dropped_(subject_.candidates.size(), false) {
  if (settings_.timing == Timing::interval && mode_ != Mode::timed) {
    intervals_ = std::make_unique<Intervals>();
  }
  note_decision();
}

Emethod::~Emethod() {
  if (study_ != nullptr) {
    study_->over = true;
  }
  report();
}

const AttributeSet& Emethod::attributes() const {
  static const AttributeSet none;
  return subject_.attributes != nullptr ? *subject_.attributes : none;
}

std::unique_ptr<search::Search> Emethod::new_search(std::vector<search::Candidate> candidates) const {
  return search::find(settings_.search).make(std::move(candidates), attributes(), parameters());
}

search::Parameters Emethod::parameters() const {
  search::Parameters parameters;
  parameters.estimator = &estimate::find(settings_.outliers);
  parameters.options = settings_.search_options;
  parameters.common_clock = sees_arrivals_;
  return parameters;
}

/// Counts what ran on the licence, and renews it.
void Emethod::grant(std::int64_t starts) {
  starts_ += unasked();
  production_ += decided_ || resting_ ? unasked() : 0;
  if (licence_ != nullptr) {
    licence_->left = starts;
    granted_ = starts;
  }
}

/// Production is not looked at for so many starts, which run on the licence; where each of them is traced they ask.
void Emethod::leave_alone(std::int64_t starts) {
  spared_ = starts;
  grant(settings_.trace_production ? 0 : starts);
}

search::Ticket Emethod::next(std::int64_t request) {
  const std::int64_t granted = licence_ != nullptr ? licence_->left : 0;
  const std::int64_t left = decided_ && settings_.trace_production ? spared_ : granted;
  grant(0);
  ++starts_;
  production_ += decided_ ? 1 : 0;
  if (still_waits()) {
    return while_waiting();
  }
  if (resting_ && left > 0) {
    // Of a request that did not hold the licence, or no longer.
    grant(left - 1);
    ++production_;
    return {asked_, -1, starts_};
  }
  if (joins_interval(request)) {
    return {asked_, -1, starts_};
  }
  if (!decided_ && agreement_.active() && starts_ >= agreement_due_) {
    absorb();
  }
  if (!decided_ && !agreement_.active() && search_->ready()) {
    auto numbers = search_->pending();
    if (intervals_ != nullptr) {
      numbers.push_back(intervals_->irregularity());
    }
    agreement_.post(std::move(numbers), context_);
    agreement_due_ = starts_ + 1;
  }
  if (decided_) {
    watch(left);
  }
  return again();
}

/// Production: what runs out of the licence begins a check, of some starts that are timed. The start after them posts
/// what the ranks found, the start that begins the next check reads it. All of this depends on numbers of starts.
void Emethod::watch(std::int64_t left) {
  sampling_ = false;
  const std::int64_t interval = left > 0 ? left : between_checks();
  if (left > 0 || interval == unwatched) {
    leave_alone(left > 0 && settings_.trace_production ? left - 1 : interval);
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
    drift_.close();
    // The maximum over the ranks: how far one is off, how much slower, how much faster.
    agreement_.post({drift_.score(), drift_.ratio(), 1.0 / drift_.ratio()}, context_);
    check_posted_ = true;
    leave_alone(interval);
  }
}

/// Starts in production that nobody looks at. The same on all ranks: the winner's time is an agreed one.
std::int64_t Emethod::between_checks() const {
  if (settings_.monitor != Settings::by_time) {
    return settings_.monitor > 0 ? settings_.monitor : unwatched;
  }
  if (std::count(dropped_.begin(), dropped_.end(), false) < 2) {
    return unwatched;  // there is nothing to change to
  }
  const double winner_s = search_->knowledge()[place(winner_)].judged_s;
  if (!std::isfinite(winner_s)) {
    return usual_interval;
  }
  return static_cast<std::int64_t>(
      std::clamp(seconds_between_checks / std::max(winner_s, 1e-9), fewest_between_checks, most_between_checks));
}

/// Reads what the last check found.
void Emethod::judge_production() {
  if (!agreement_.active()) {
    return;
  }
  const auto found = agreement_.wait();
  if (!std::exchange(check_posted_, false)) {
    return;  // of a batch that a dropped candidate ended
  }
  const double score = found[0];
  const double slower = found[1];
  const double faster = found[2];
  if (score >= 1.0) {
    begin_again(slower >= faster
                    ? text("starts take up to ", slower, " times as long as after the decision")
                    : text("starts take down to ", 1.0 / faster, " of the time they took after the decision"),
                faster > slower);
  }
}

search::Ticket Emethod::again() {
  if (teacher_ != nullptr) {
    return while_waiting();
  }
  search::Ticket ticket = decided_ ? search::Ticket{static_cast<int>(winner_), -1, 0} : search_->next();
  ticket.start = starts_;
  asked_ = ticket.candidate;
  if (intervals_ != nullptr && intervals_->joins()) {  // instead of what the measurement under way is of
    intervals_->spoil();
    ticket.slot = -1;
    return ticket;
  }
  rest(ticket);
  return ticket;
}

/// Starts that only run the leader of a search need not ask, as in production; equally many on all ranks.
void Emethod::rest(const search::Ticket& ticket) {
  const int starts = !decided_ && ticket.slot < 0 ? search_->skip() : 0;
  resting_ = starts > 0;
  if (resting_) {
    if (intervals_ != nullptr) {
      intervals_->forget();
    }
    licence_ = licence_ != nullptr ? licence_ : std::make_shared<Licence>();
    grant(starts);
  }
}

void Emethod::add_preparation(double seconds) {
  cost_.preparation_s += seconds;
  if (!decided_ && asked_ >= 0) {
    search_->spend(asked_, seconds);
  }
}

void Emethod::absorb() {
  auto reduced = agreement_.wait();
  if (intervals_ != nullptr) {
    if (reduced.back() > Intervals::regular_enough) {
      judge_by_operations(reduced.back());
      return;
    }
    reduced = reduced.first(reduced.size() - 1);
  }
  search_->absorb(reduced);
  if (study_ != nullptr) {
    const auto& known = search_->knowledge();
    const auto best = std::ranges::min_element(known, {}, &search::Knowledge::judged_s);
    study_->leader = std::isfinite(best->judged_s)
                         ? subject_.candidates[static_cast<std::size_t>(best - known.begin())].name
                         : std::string();
  }
  note_agreement();
  note_decision();
}

bool Emethod::is_last(ModeCandidate candidate) const {
  for (std::size_t i = 0; i < dropped_.size(); ++i) {
    if (i != place(candidate) && !dropped_[i]) {
      return false;
    }
  }
  return true;
}

void Emethod::drop(ModeCandidate candidate, const std::string& reason, std::int64_t request) {
  const std::string& name = subject_.candidates[place(candidate)].name;
  note(settings_.trace, context_, DropRecord{request, subject_.id, mode_name(mode_), name, reason});
  search_->drop(static_cast<int>(candidate), reason);
  if (resting_) {
    grant(0);
  }
  dropped_[place(candidate)] = true;
  note_decision();
}

void Emethod::prime(std::span<const estimate::Numbers> known, Trust trust, int favourite) {
  if (trust == Trust::verify) {
    verify(known, favourite, false);
  } else {
    search_->prime(known);
  }
  note_decision();
}

/// All that was known of the candidates that are left is the prior of another search.
void Emethod::verify(std::span<const estimate::Numbers> prior, int favourite, bool suspicious) {
  auto search = std::make_unique<search::Verification>(
      subject_.candidates, attributes(), parameters(), prior,
      [this](std::vector<search::Candidate> candidates) { return new_search(std::move(candidates)); }, favourite,
      suspicious);
  drop_what_was_dropped(*search);
  verification_ = search.get();
  guided_ = nullptr;
  search_ = std::move(search);
}

void Emethod::drop_what_was_dropped(search::Search& search) const {
  for (std::size_t i = 0; i < dropped_.size(); ++i) {
    if (dropped_[i]) {
      search.drop(static_cast<int>(i), search_->knowledge()[i].removed);
    }
  }
}

void Emethod::reopen(const std::string& reason) {
  if (decided_) {
    begin_again(reason, false);
  }
}

/// When starts take longer, what is known is verified, and kept for when they take as long as before again. When they
/// take less than they did, the knowledge is that of a disturbed machine.
void Emethod::begin_again(const std::string& reason, bool faster) {
  grant(0);
  licence_.reset();
  spared_ = 0;
  if (agreement_.active()) {
    agreement_.wait();  // of a check, or of a batch that a dropped candidate ended
  }
  check_posted_ = false;
  drift_ = {};
  samples_left_ = 0;
  sampling_ = false;
  ++reopened_;
  const std::string& winner = subject_.candidates[place(winner_)].name;
  note(settings_.trace, context_, ReopeningRecord{subject_.id, mode_name(mode_), starts_, production_, winner, reason});
  std::vector<estimate::Numbers> prior;
  for (const search::Knowledge& known : search_->knowledge()) {
    prior.push_back(search::as_prior(known));
  }
  decided_ = false;
  noted_.clear();
  int favourite = static_cast<int>(winner_);
  const double winner_s = search_->knowledge()[place(winner_)].judged_s;
  if (faster && before_.has_value()) {
    prior = before_->known;
    favourite = before_->winner;
  } else if (!faster && (!before_.has_value() || winner_s < before_->winner_s)) {
    before_ = Before{prior, favourite, winner_s};
  }
  verify(prior, favourite, faster);
  note_decision();
}

}  // namespace adcl::runtime
