#include "tuner/tuner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "select/guided.hpp"

namespace adcl::runtime {
namespace {

/// Maximum number of starts that a search waits for the search of a similar problem; most searches take fewer. A search
/// with expectations does not wait: it receives measurements of similar searches while it runs.
constexpr int max_starts_waited = 1500;
/// Minimum length, in starts, of a pause in which pairs may run; shorter pauses are warm-ups.
constexpr int min_quiet_starts = 8;

}  // namespace

Tuner::Tuner(mpi::Context& context, select::Subject subject, std::shared_ptr<const Settings> settings, Mode mode,
             std::shared_ptr<ProblemHistory> history)
    : context_(context),
      subject_(std::move(subject)),
      settings_(std::move(settings)),
      log_(context_, subject_, *settings_, mode),
      timing_(mode != Mode::timed ? settings_->timing : Timing::barrier, context_.machine().nodes.count == 1,
              subject_.runs_ahead),
      history_(std::move(history)),
      search_(new_search(subject_.candidates)),
      failures_(subject_.candidates.size()),
      incumbent_(context_, timing_.common_clock()) {
  update_state();
}

Tuner::~Tuner() {
  report();
  release_waiting_searches();
}

/// The only function that changes the state. Completes a pending reduction, revokes the lease of a withdrawn decision,
/// and retires the incumbent unless it becomes the winner. \p reason: why the decision is withdrawn.
void Tuner::enter(TunerState next, const std::string& reason) {
  if (!std::holds_alternative<Production>(next) && !std::holds_alternative<Exhausted>(next)) {
    if (is<Production>()) {
      lease_.revoke();
      log_.reopening(starts(), production(), winner(), reason);
    }
    incumbent_.retire();
  }
  if (agreement_.active()) {
    agreement_.wait();  // a check, or a batch that a dropped candidate ended; all ranks have posted it
  }
  state_ = std::move(next);
  if (is<Production>()) {
    begin_production();
  }
}

void Tuner::begin_production() {
  const select::Verdict& verdict = *search_->verdict();
  const bool confirmed = std::get<Production>(state_).confirmed;
  if (Intervals* intervals = timing_.intervals()) {
    intervals->discard();
  }
  lease_.renew();
  incumbent_.set(ModeCandidate{verdict.winner});
  store(confirmed ? history::Outcome::confirmed : history::Outcome::decided);
  trace_decision(verdict, false, confirmed);
  compare_with_first();
}

/// Enters the state that follows from the result of the search.
void Tuner::update_state() {
  if (decided()) {
    return;
  }
  const auto* const verification = dynamic_cast<const select::Verification*>(search_.get());
  if (const auto* verifying = std::get_if<Verifying>(&state_); verifying != nullptr && verification->failed()) {
    enter(Exploring{{verifying->recheck}});
  }
  if (search_->verdict().has_value()) {
    enter(Production{is<Verifying>() && verification->held()});
  } else {
    record_provisional_winner();
  }
}

const std::string& Tuner::final_failure() const noexcept {
  static const std::string no;
  const auto* exhausted = std::get_if<Exhausted>(&state_);
  return exhausted != nullptr ? exhausted->reason : no;
}

bool Tuner::timed() const noexcept {
  if (current_.pair) {
    return true;
  }
  if (const auto* production = std::get_if<Production>(&state_)) {
    return production->samples_left > 0 || settings_->trace_production;
  }
  const Searching* search = searching(state_);
  return is<Waiting>() || (search != nullptr && !search->pauses);
}

select::Ticket Tuner::next(std::int64_t request) {
  const std::int64_t left = lease_.end_grant();
  lease_.count_start();
  current_ = {request, current_.candidate, false};
  if (is<Exhausted>()) {
    return {current_.candidate, -1, starts()};
  }
  if (continue_waiting()) {
    return best_of_awaited();
  }
  if (left == 0 && incumbent_.step_due()) {
    return step_comparison();
  }
  if (Searching* search = searching(state_)) {
    if (search->pauses && left > 0) {
      // This request does not hold the current lease.
      grant_quiet(left - 1 + incumbent_.postponed());
      lease_.count_production();
      return {current_.candidate, -1, starts()};
    }
    if (joins_interval(request)) {
      return {current_.candidate, -1, starts()};
    }
    continue_search(*search);
  }
  if (auto* production = std::get_if<Production>(&state_)) {
    lease_.count_production();
    monitor(*production, left);
  }
  return next_after_drop();
}

select::Ticket Tuner::next_after_drop() {
  if (is<Waiting>()) {
    return best_of_awaited();
  }
  select::Ticket ticket = decided() ? select::Ticket{static_cast<int>(winner()), -1, 0} : search_->next();
  ticket.start = starts();
  current_.candidate = ticket.candidate;
  Intervals* intervals = timing_.intervals();
  if (intervals != nullptr && intervals->joins()) {  // this start runs another codelet than the running measurement
    intervals->invalidate();
    ticket.slot = -1;
    return ticket;
  }
  pause(ticket);
  return ticket;
}

void Tuner::add_preparation(double seconds) {
  log_.prepare(seconds);
  if (!decided() && current_.candidate >= 0) {
    search_->spend(current_.candidate, seconds);
  }
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
  return select::find(settings_->search).make(std::move(candidates), *subject_.attributes, parameters());
}

void Tuner::replace_search(std::unique_ptr<select::Search> search) {
  for (const auto& [candidate, reason] : failures_.all_dropped()) {
    search->drop(static_cast<int>(index_of(candidate)), reason);
  }
  search_ = std::move(search);
}

/// Verifies \p prior. If the verification fails, another search of the remaining candidates begins, with \p found if it
/// is not empty.
void Tuner::replace_with_verification(std::span<const measure::Numbers> prior, int known_winner, select::Recheck cause,
                                      const std::vector<measure::Numbers>& found) {
  replace_search(std::make_unique<select::Verification>(
      subject_.candidates, *subject_.attributes, parameters(), prior,
      [this, found](std::vector<select::Candidate> candidates) {
        auto anew = new_search(std::move(candidates));
        if (!found.empty()) {
          anew->prime(found);
        }
        return anew;
      },
      cause, known_winner));
}

void Tuner::prime(std::span<const measure::Numbers> known) {
  search_->prime(known);
  update_state();
}

void Tuner::verify(std::span<const measure::Numbers> known, int known_winner) {
  replace_with_verification(known, known_winner, select::Recheck::another_run);
  if (!decided()) {
    enter(Verifying{});
  }
  update_state();
}

void Tuner::take_advice() {
  if (history_ == nullptr || decided()) {
    return;
  }
  const auto* waiting = std::get_if<Waiting>(&state_);
  const int waited = waiting != nullptr ? waiting->starts : 0;
  const Advice advice = history_->advice(context_, log_.mode(), subject_, own_search_.get());
  if (own_search_ == nullptr) {
    own_search_ = history_->begin_search(context_, log_.mode(), advice.near);
  }
  own_search_->waits =
      advice.relative.empty() && advice.awaited != nullptr && !select::find(settings_->search).uses_expectations;
  if (own_search_->waits) {
    own_search_->best = advice.awaited->best;  // for searches that wait for this search
    enter(Waiting{advice.awaited, waited});
    return;
  }
  if (waiting != nullptr) {
    enter(Exploring{});
  }
  if (!advice.relative.empty()) {
    apply(advice);
  }
  update_state();
}

/// Replaces the search, which has not begun, with a search of the candidates that the advice allows. Keeps a search
/// that would use none of the advice.
void Tuner::apply(const Advice& advice) {
  auto guided = std::make_unique<select::Guided>(
      subject_.candidates, advice.relative, advice.corrections,
      [this](std::vector<select::Candidate> candidates) { return new_search(std::move(candidates)); });
  std::vector<std::string> left_out;
  for (std::size_t i = 0; i < subject_.candidates.size(); ++i) {
    if (!std::isnan(guided->excluded_ratio(static_cast<int>(i)))) {
      left_out.push_back(subject_.candidates[i].name);
    }
  }
  if (!left_out.empty() || select::find(settings_->search).uses_expectations) {
    replace_search(std::move(guided));
    trace_history("similar problems", "", left_out);
  }
}

/// Returns true if this start runs the best candidate of the similar problem's search. All ranks wait for the same
/// number of starts.
bool Tuner::continue_waiting() {
  auto* waiting = std::get_if<Waiting>(&state_);
  if (waiting == nullptr) {
    return false;
  }
  if (waiting->awaited->finished) {
    take_advice();
  } else if (++waiting->starts > max_starts_waited) {
    own_search_->waits = false;
    enter(Exploring{});
  }
  waiting = std::get_if<Waiting>(&state_);
  if (waiting != nullptr) {
    own_search_->best = waiting->awaited->best;
  }
  return waiting != nullptr;
}

/// Returns a ticket without a measurement for the best candidate of the awaited search. If that candidate cannot run,
/// returns a ticket for the candidate with the lowest expected time or, without expectations, for the first candidate
/// that can run.
select::Ticket Tuner::best_of_awaited() const {
  const auto& candidates = subject_.candidates;
  std::vector<int> runnable = select::indices_below(static_cast<int>(candidates.size()));
  std::erase_if(runnable, [this](int i) { return failures_.dropped(ModeCandidate{i}); });
  const std::string& leader = std::get<Waiting>(state_).awaited->best;
  const auto best = std::ranges::find(runnable, leader, [&](int i) { return candidates[select::at(i)].name; });
  const int least = select::lowest(runnable, [&](int i) {
    const double expected = candidates[select::at(i)].expected.log_time;
    return std::isfinite(expected) ? expected : select::infinity;
  });
  return {best != runnable.end() ? *best : least, -1, starts()};
}

/// Waits for the numbers of the batch that the last start has completed, and posts the numbers of a complete batch.
void Tuner::continue_search(Searching& search) {
  search.pauses = false;
  if (agreement_.active()) {
    absorb(search.recheck);
  }
  if (decided() || !search_->ready()) {  // absorb() may have ended the search
    return;
  }
  auto numbers = search_->pending();
  if (const Intervals* const intervals = timing_.intervals()) {
    numbers.push_back(intervals->irregularity());
  }
  numbers.push_back(failures_.flag());
  agreement_.post(std::move(numbers), context_);
}

void Tuner::absorb(bool recheck) {
  auto reduced = agreement_.wait();
  const auto take_last = [&reduced] {
    const double last = reduced.back();
    reduced = reduced.first(reduced.size() - 1);
    return last;
  };
  const bool some_failed = take_last() > 0.0;
  const double irregularity = timing_.intervals() != nullptr ? take_last() : 0.0;
  if (irregularity > Intervals::max_irregularity) {
    switch_to_operation_times(irregularity);
  } else {
    take_measurements_of_peers();
    search_->absorb(reduced);
    if (own_search_ != nullptr) {
      own_search_->publish(subject_.candidates, *search_);
    }
    log_.agreement(starts(), search_->knowledge());
  }
  if (some_failed) {
    drop_failed();
  }
  update_state();
  if (recheck) {
    recheck_former_winner();
  }
}

/// Passes the measurements of similar searches to this search.
void Tuner::take_measurements_of_peers() {
  if (own_search_ == nullptr || !own_search_->has_news()) {
    return;
  }
  const bool used = search_->set_peer_measurements(own_search_->measurements_of_peers(subject_.candidates));
  const auto peers = std::ranges::count_if(own_search_->peers, [](const auto& peer) { return peer.known > 0; });
  if (used && history_->set_peer_count(log_.mode(), peers)) {
    trace_history("similar searches", "", {});
  }
}

/// Discards the search and begins another search, which times operations. Discards everything that was measured between
/// starts: the prior, the incumbent, and the findings for similar searches. The same on all ranks, since the
/// irregularity was reduced.
void Tuner::switch_to_operation_times(double irregularity) {
  timing_.switch_to_operation_times(irregularity);
  if (own_search_ != nullptr) {
    own_search_->withdraw();
  }
  before_slowdown_.reset();
  replace_search(new_search(subject_.candidates));
  log_.begin_search();
  enter(Exploring{});
}

void Tuner::drop(ModeCandidate candidate, const std::string& reason, std::int64_t request) {
  log_.drop(request, candidate, reason);
  if (is<Production>() && incumbent_.is(candidate)) {
    enter(Exploring{}, text(name(candidate), " was dropped: ", reason));
  }
  search_->drop(static_cast<int>(candidate), reason);
  if (const Searching* search = searching(state_); search != nullptr && search->pauses) {
    grant_quiet(0);
  }
  if (incumbent_.is(candidate) || candidate == first_candidate) {
    incumbent_.abandon_comparison();
  }
  failures_.drop(candidate, reason);
  update_state();
}

/// Drops candidates that failed when they ran. Called in the same start on all ranks, if the reduced flag shows that a
/// candidate failed on some rank; the ranks exchange the failed candidates and the reasons. Collective.
void Tuner::drop_failed() {
  if (log_.mode() == Mode::timed) {  // the timer exchanges the failed codelets of its requests
    failures_.pass_to_timer();
    return;
  }
  const auto reasons = failures_.share(context_);
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    const auto candidate = from_index<ModeCandidate>(i);
    if (reasons[i].empty() || failures_.dropped(candidate)) {
      continue;
    }
    if (is_last(candidate)) {
      log_.drop(current_.request, candidate, reasons[i]);
      enter(Exhausted{reasons[i]});
      return;
    }
    drop(candidate, reasons[i], current_.request);
  }
}

/// If the search pauses, grants a lease for its best candidate, as in production. The number of starts is the same on
/// all ranks.
void Tuner::pause(const select::Ticket& ticket) {
  Searching* const search = searching(state_);
  if (search == nullptr) {
    return;
  }
  const int starts = ticket.slot < 0 ? search_->skip() : 0;
  search->pauses = starts > 0;
  if (!search->pauses) {
    return;
  }
  if (Intervals* intervals = timing_.intervals()) {
    intervals->discard();
  }
  lease_.open();
  lease_.count_production();
  incumbent_.set_quiet(starts >= min_quiet_starts && incumbent_.is(ModeCandidate{ticket.candidate}));
  grant_quiet(starts);
}

std::vector<measure::Numbers> Tuner::known_numbers() const {
  std::vector<measure::Numbers> known;
  for (const select::Knowledge& one : search_->knowledge()) {
    known.push_back(select::as_prior(one));
  }
  return known;
}

/// Records each new provisional winner once. A history in memory stores the winner only at the end of the search,
/// because similar searches receive the measurements of the running search.
void Tuner::record_provisional_winner() {
  const auto& verdict = search_->provisional();
  if (!verdict.has_value()) {
    return;
  }
  const bool another = incumbent_.set(ModeCandidate{verdict->winner});
  compare_with_first();
  if (!another) {
    return;
  }
  if (history_ != nullptr && history_->in_memory()) {
    release_waiting_searches();
  } else {
    store(history::Outcome::decided);
  }
  trace_decision(*verdict, true, false);
}

/// Stores the result in the history, then releases the searches that wait for this search.
void Tuner::store(history::Outcome outcome) {
  if (history_ != nullptr && log_.cost().starts > 0) {
    history_->store(log_.mode(), timing_.intervals() != nullptr, subject_, *search_,
                    incumbent_.stored() ? history::Outcome::refined : outcome);
    incumbent_.set_stored();
  }
  release_waiting_searches();
}

void Tuner::release_waiting_searches() {
  if (own_search_ != nullptr) {
    own_search_->finished = true;
  }
}

void Tuner::trace_decision(const select::Verdict& verdict, bool provisional, bool confirmed) const {
  log_.decision(starts(), verdict, verdict.reason + timing_.remark(), search_->knowledge(), provisional, confirmed);
}

void Tuner::trace_history(const std::string& kind, const std::string& winner,
                          const std::vector<std::string>& left_out) const {
  log_.write(HistoryRecord{subject_.id, mode_name(log_.mode()), kind, winner, left_out, history_->source(log_.mode())});
}

void Tuner::report() {
  if (starts() == 0 || log_.reported()) {
    return;
  }
  if (const auto& verdict = search_->provisional(); !decided() && incumbent_.exists() && verdict.has_value()) {
    store(history::Outcome::decided);
    trace_decision(*verdict, true, false);  // the search has measured since
  }
  log_.write(EndRecord{subject_.id, mode_name(log_.mode()), starts(), production()});
  log_.report(*search_, starts(), production(), history_ != nullptr ? history_->source(log_.mode()) : "",
              timing_.remark(), incumbent_.gain());
}

}  // namespace adcl::runtime
