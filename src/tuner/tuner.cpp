#include "tuner/tuner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.hpp"

namespace adcl::runtime {
namespace {

/// Most starts that a search waits for that of a similar problem; most searches take fewer. A search with expectations
/// does not wait; similar searches send it their measurements while it runs.
constexpr int most_starts_waited = 1500;
/// Starts without a measurement that are more than a warm-up.
constexpr int shortest_rest = 8;

}  // namespace

Tuner::Tuner(mpi::Context& context, select::Subject subject, std::shared_ptr<const Settings> settings, Mode mode,
             std::shared_ptr<Recollection> recollection)
    : context_(context),
      subject_(std::move(subject)),
      settings_(std::move(settings)),
      mode_(mode),
      log_(context_, subject_, *settings_, mode_),
      timing_(mode_ != Mode::timed ? settings_->timing : Timing::barrier, context_.machine().nodes.count == 1,
              subject_.runs_ahead),
      history_(std::move(recollection), mode_),
      search_(new_search(subject_.candidates)),
      fates_(subject_.candidates.size()),
      leader_(context_, timing_.common_clock()) {
  follow_search();
}

BeforePointer Tuner::before() const {
  const auto before_of = [](const auto& state) -> BeforePointer {
    if constexpr (requires { state.before; }) {
      return state.before;
    } else {
      return nullptr;
    }
  };
  return std::visit(before_of, state_);
}

/// The only place that changes the state. Ends what belongs to the former state: a reduction under way, the lease of a
/// decision, and the leader unless it becomes the winner. \p reason: why the decision is withdrawn or reached.
void Tuner::enter(TunerState next, const std::string& reason) {
  if (!std::holds_alternative<Production>(next) && !std::holds_alternative<Exhausted>(next)) {
    if (is<Production>()) {
      lease_.revoke();
      log_.reopening(starts(), production(), winner(), reason);
    }
    leader_.retire();
  }
  if (agreement_.active()) {
    agreement_.wait();  // of a check, or of a batch that a dropped candidate ended; all ranks have posted it
  }
  state_ = std::move(next);
  if (is<Production>()) {
    begin_production(reason);
  }
}

void Tuner::begin_production(const std::string& reason) {
  const select::Verdict& verdict = *search_->verdict();
  const bool confirmed = std::get<Production>(state_).confirmed;
  if (Intervals* intervals = timing_.intervals()) {
    intervals->forget();
  }
  ++decisions_;
  lease_.renew();
  leader_.lead(ModeCandidate{verdict.winner});
  keep(confirmed ? history::Outcome::confirmed : history::Outcome::decided);
  note_verdict(verdict, reason, false, confirmed);
  compare_with_first();
}

/// Enters the state that follows from the result of the search.
void Tuner::follow_search() {
  if (decided()) {
    return;
  }
  const select::Verification* verification = search_.verification();
  if (auto* verifying = std::get_if<Verifying>(&state_); verifying != nullptr && verification->failed()) {
    enter(Exploring{{{}, verifying->before, verifying->recheck}}, "the known winner has not kept its time");
  }
  if (const auto& verdict = search_->verdict()) {
    const bool confirmed = is<Verifying>() && verification->held();
    enter(Production{before(), confirmed}, verdict->reason);
  } else {
    note_provisional();
  }
}

const std::string& Tuner::exhausted() const noexcept {
  static const std::string no;
  const auto* exhausted = std::get_if<Exhausted>(&state_);
  return exhausted != nullptr ? exhausted->reason : no;
}

bool Tuner::timed() const noexcept {
  if (turn_.pair) {
    return true;
  }
  if (const auto* production = std::get_if<Production>(&state_)) {
    return std::holds_alternative<Sampling>(production->check) || settings_->trace_production;
  }
  const Searching* search = searching(state_);
  return is<Waiting>() || (search != nullptr && !std::holds_alternative<Resting>(search->step));
}

select::Ticket Tuner::next(std::int64_t request) {
  const std::int64_t left = lease_.settle();
  lease_.count_start();
  turn_ = {request, turn_.candidate, false};
  if (is<Exhausted>()) {
    return {turn_.candidate, -1, starts()};
  }
  if (still_waits()) {
    return while_waiting();
  }
  if (left == 0 && leader_.step_due()) {
    return compare();
  }
  if (Searching* search = searching(state_)) {
    if (const auto* resting = std::get_if<Resting>(&search->step); resting != nullptr && left > 0) {
      // The request does not hold the lease, or no longer holds it.
      grant_quiet(left - 1 + leader_.postponed());
      lease_.count_production();
      return {resting->leader, -1, starts()};
    }
    if (joins_interval(request)) {
      return {turn_.candidate, -1, starts()};
    }
    search_on(*search);
  }
  if (auto* production = std::get_if<Production>(&state_)) {
    lease_.count_production();
    watch(*production, left);
  }
  return again();
}

select::Ticket Tuner::again() {
  if (is<Waiting>()) {
    return while_waiting();
  }
  select::Ticket ticket = decided() ? select::Ticket{static_cast<int>(winner()), -1, 0} : search_->next();
  ticket.start = starts();
  turn_.candidate = ticket.candidate;
  Intervals* intervals = timing_.intervals();
  if (intervals != nullptr && intervals->joins()) {  // runs another codelet than the measurement under way
    intervals->spoil();
    ticket.slot = -1;
    return ticket;
  }
  rest(ticket);
  return ticket;
}

void Tuner::add_preparation(double seconds) {
  log_.prepare(seconds);
  if (!decided() && turn_.candidate >= 0) {
    search_->spend(turn_.candidate, seconds);
  }
}

const AttributeSet& Tuner::attributes() const {
  static const AttributeSet none;
  return subject_.attributes != nullptr ? *subject_.attributes : none;
}

select::Parameters Tuner::parameters() const {
  select::Parameters parameters;
  parameters.estimator = &measure::find(settings_->outliers);
  parameters.options = settings_->search_options;
  parameters.common_clock = timing_.common_clock();
  parameters.whole_blocks = timing_.whole_blocks();
  return parameters;
}

std::unique_ptr<select::Search> Tuner::new_search(std::vector<select::Candidate> candidates) const {
  return select::find(settings_->search).make(std::move(candidates), attributes(), parameters());
}

template <typename S>
void Tuner::replace_search(std::unique_ptr<S> search) {
  for (const auto& [candidate, reason] : fates_.all_dropped()) {
    search->drop(static_cast<int>(place(candidate)), reason);
  }
  search_ = CurrentSearch(std::move(search));
}

/// Verifies \p prior. If it does not hold, another search of the remaining candidates begins, with \p found if that is
/// not empty.
void Tuner::verify(std::span<const measure::Numbers> prior, int favourite, select::Recheck cause,
                   const std::vector<measure::Numbers>& found) {
  replace_search(std::make_unique<select::Verification>(
      subject_.candidates, attributes(), parameters(), prior,
      [this, found](std::vector<select::Candidate> candidates) {
        auto anew = new_search(std::move(candidates));
        if (!found.empty()) {
          anew->prime(found);
        }
        return anew;
      },
      cause, favourite));
}

void Tuner::prime(std::span<const measure::Numbers> known, Trust trust, int favourite) {
  if (trust == Trust::final) {
    search_->prime(known);
  } else {
    verify(known, favourite, select::Recheck::another_run);
    if (!decided()) {
      enter(Verifying{}, "an earlier run has a winner");
    }
  }
  follow_search();
}

void Tuner::seek_advice() {
  if (!history_.exists() || decided()) {
    return;
  }
  const auto* waiting = std::get_if<Waiting>(&state_);
  const int waited = waiting != nullptr ? waiting->starts : 0;
  const Hint hint = history_.seek(context_, subject_);
  const bool waits =
      hint.relative.empty() && hint.teacher != nullptr && !select::find(settings_->search).uses_expectations;
  history_.set_waits(waits, waits ? hint.teacher->leader : "");
  if (waits) {
    enter(Waiting{hint.teacher, waited}, "a similar problem is being searched for");
    return;
  }
  if (waiting != nullptr) {
    enter(Exploring{}, "the search of the similar problem is over");
  }
  if (!hint.relative.empty()) {
    take(hint);
  }
  follow_search();
}

/// Replaces the search, which has not begun, by a search of the candidates that the hint leaves.
void Tuner::take(const Hint& hint) {
  const bool leaves_out = select::worth_trying(hint.relative).size() < subject_.candidates.size();
  if (!leaves_out && !select::find(settings_->search).uses_expectations) {
    return;
  }
  replace_search(std::make_unique<select::Guided>(
      subject_.candidates, hint.relative, hint.corrections,
      [this](std::vector<select::Candidate> candidates) { return new_search(std::move(candidates)); }));
  std::vector<std::string> left_out;
  for (std::size_t i = 0; i < subject_.candidates.size(); ++i) {
    if (!std::isnan(search_.guided()->left_out(static_cast<int>(i)))) {
      left_out.push_back(subject_.candidates[i].name);
    }
  }
  note_history("similar problems", "", left_out);
}

/// True: this start runs the best candidate of the similar problem's search. All ranks wait for equally many starts.
bool Tuner::still_waits() {
  auto* waiting = std::get_if<Waiting>(&state_);
  if (waiting == nullptr) {
    return false;
  }
  if (waiting->teacher->over) {
    seek_advice();
  } else if (++waiting->starts > most_starts_waited) {
    history_.set_waits(false);
    enter(Exploring{}, "the search of the similar problem takes too long");
  }
  waiting = std::get_if<Waiting>(&state_);
  if (waiting != nullptr) {
    history_.set_waits(true, waiting->teacher->leader);
  }
  return waiting != nullptr;
}

/// The best candidate of the other search, without a measurement. If it cannot run: the candidate that is expected to
/// be the fastest; without expectations, the first that can run.
select::Ticket Tuner::while_waiting() const {
  const std::string& leader = std::get<Waiting>(state_).teacher->leader;
  int best = -1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < subject_.candidates.size(); ++i) {
    const select::Candidate& candidate = subject_.candidates[i];
    if (fates_.dropped(index_at<ModeCandidate>(i))) {
      continue;
    }
    if (candidate.name == leader) {
      return {static_cast<int>(i), -1, starts()};
    }
    if (best < 0 || candidate.expected.log_time < least) {
      best = static_cast<int>(i);
      least = std::isfinite(candidate.expected.log_time) ? candidate.expected.log_time : least;
    }
  }
  return {best, -1, starts()};
}

/// Waits for the numbers of a batch if they are due, and posts the numbers of a complete batch.
void Tuner::search_on(Searching& search) {
  if (const auto* agreeing = std::get_if<Agreeing>(&search.step)) {
    if (starts() < agreeing->due) {
      return;
    }
    absorb(search);
  }
  Searching* const now = searching(state_);  // absorb() may have ended the search
  if (now == nullptr || !search_->ready()) {
    return;
  }
  auto numbers = search_->pending();
  if (const Intervals* intervals = timing_.intervals()) {
    numbers.push_back(intervals->irregularity());
  }
  numbers.push_back(fates_.flag());
  agreement_.post(std::move(numbers), context_);
  now->step = Agreeing{starts() + 1};
}

void Tuner::absorb(Searching& search) {
  search.step = Measuring{};
  const BeforePointer recheck = search.recheck;
  auto reduced = agreement_.wait();
  const auto take_last = [&reduced] {
    const double last = reduced.back();
    reduced = reduced.first(reduced.size() - 1);
    return last;
  };
  const bool some_failed = take_last() > 0.0;
  const double irregularity = timing_.intervals() != nullptr ? take_last() : 0.0;
  if (irregularity > Intervals::regular_enough) {
    judge_by_operations(irregularity);
    drop_failed(some_failed);
    return;
  }
  if (history_.listen(*search_, subject_)) {
    note_history("similar searches", "", {});
  }
  search_->absorb(reduced);
  history_.share(*search_, subject_);
  log_.agreement(starts(), search_->knowledge());
  drop_failed(some_failed);
  follow_search();
  recheck_former_winner(recheck);
}

/// Discards the search and begins another one, which times operations. Keeps nothing that was measured between starts:
/// no prior, no leader, no findings for similar searches. The same on all ranks, since the irregularity was reduced.
void Tuner::judge_by_operations(double irregularity) {
  timing_.judge_by_operations(irregularity);
  history_.forget();
  replace_search(new_search(subject_.candidates));
  log_.begin_search();
  enter(Exploring{}, timing_.objection());
  follow_search();
}

void Tuner::drop(ModeCandidate candidate, const std::string& reason, std::int64_t request) {
  log_.drop(request, candidate, reason);
  if (is<Production>() && leader_.is(candidate)) {
    enter(Exploring{{{}, before(), nullptr}},
          text(subject_.candidates[place(candidate)].name, " was dropped: ", reason));
  }
  search_->drop(static_cast<int>(candidate), reason);
  const Searching* search = searching(state_);
  if (search != nullptr && std::holds_alternative<Resting>(search->step)) {
    grant_quiet(0);
  }
  if (leader_.is(candidate) || candidate == first_candidate) {
    leader_.abandon_comparison();
  }
  fates_.drop(candidate, reason);
  follow_search();
}

/// Drops candidates that failed when they ran, if \p some rank has one. All ranks take the same branch: they get here
/// in the same start, with a reduced flag, and share here which candidates failed and why. Collective.
void Tuner::drop_failed(bool some) {
  if (!some) {
    return;
  }
  if (mode_ == Mode::timed) {  // the timer shares which codelets of its requests failed
    fates_.leave_to_timer();
    return;
  }
  const auto reasons = fates_.share(context_);
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    const auto candidate = index_at<ModeCandidate>(i);
    if (reasons[i].empty() || fates_.dropped(candidate)) {
      continue;
    }
    if (is_last(candidate)) {
      log_.drop(turn_.request, candidate, reasons[i]);
      enter(Exhausted{reasons[i]}, reasons[i]);
      return;
    }
    drop(candidate, reasons[i], turn_.request);
  }
}

/// Starts that only run the best candidate need not consult the tuner, as in production; equally many on all ranks.
void Tuner::rest(const select::Ticket& ticket) {
  Searching* const search = searching(state_);
  if (search == nullptr) {
    return;
  }
  const int starts = ticket.slot < 0 ? search_->skip() : 0;
  if (starts == 0) {
    if (std::holds_alternative<Resting>(search->step)) {
      search->step = Measuring{};
    }
    return;
  }
  search->step = Resting{ticket.candidate};
  if (Intervals* intervals = timing_.intervals()) {
    intervals->forget();
  }
  lease_.open();
  lease_.count_production();
  leader_.set_quiet(starts >= shortest_rest && leader_.is(ModeCandidate{ticket.candidate}));
  grant_quiet(starts);
}

std::vector<measure::Numbers> Tuner::known_so_far() const {
  std::vector<measure::Numbers> known;
  for (const select::Knowledge& one : search_->knowledge()) {
    known.push_back(select::as_prior(one));
  }
  return known;
}

/// Records each new provisional winner once. In memory, it is stored at the end: similar searches receive its
/// measurements, and the search continues.
void Tuner::note_provisional() {
  const auto& verdict = search_->provisional();
  if (!verdict.has_value()) {
    return;
  }
  const bool another = leader_.lead(ModeCandidate{verdict->winner});
  compare_with_first();
  if (!another) {
    return;
  }
  if (history_.in_memory()) {
    history_.end_study();
  } else {
    keep(history::Outcome::decided);
  }
  note_verdict(*verdict, verdict->reason, true, false);
}

/// Stores the result in the history, then releases the searches that wait for this one.
void Tuner::keep(history::Outcome outcome) {
  if (history_.exists() && log_.cost().starts > 0) {
    history_.keep(timing_.intervals() != nullptr, subject_, search_,
                  leader_.stored() ? history::Outcome::refined : outcome);
    leader_.set_stored();
  }
  history_.end_study();
}

void Tuner::note_verdict(const select::Verdict& verdict, const std::string& reason, bool provisional,
                         bool confirmed) const {
  log_.decision(starts(), verdict, reason + timing_.objection(), search_->knowledge(), provisional, confirmed);
}

void Tuner::note_history(const std::string& kind, const std::string& winner,
                         const std::vector<std::string>& left_out) const {
  log_.history(kind, winner, left_out, history_.words());
}

void Tuner::report() {
  if (starts() == 0 || log_.reported()) {
    return;
  }
  if (const auto& verdict = search_->provisional(); !decided() && leader_.stands() && verdict.has_value()) {
    keep(history::Outcome::decided);
    note_verdict(*verdict, verdict->reason, true, false);  // the search has measured since
  }
  log_.end(starts(), production());
  log_.report({*search_, starts(), production(), history_.words(), timing_.objection(), leader_.gain()});
}

}  // namespace adcl::runtime
