#include "runtime/tuner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "search/verification.hpp"

namespace adcl::runtime {
namespace {

/// Starts without a measurement that are no mere warm-up.
constexpr int shortest_rest = 8;

}  // namespace

Tuner::Tuner(mpi::Context& context, TunerSubject subject, Settings settings, Mode mode,
             std::shared_ptr<Recollection> recollection)
    : context_(context),
      subject_(std::move(subject)),
      settings_(std::move(settings)),
      mode_(mode),
      log_(context_, subject_, settings_, mode_),
      timing_(mode_ != Mode::timed ? settings_.timing : Timing::barrier, context_.machine().nodes.count == 1,
              subject_.runs_ahead),
      recollection_(std::move(recollection)),
      search_(new_search(subject_.candidates)),
      fates_(subject_.candidates.size()),
      leader_(context_, timing_.common_clock()) {
  note_decision();
}

Tuner::~Tuner() {
  if (study_ != nullptr) {
    study_->over = true;
  }
  report();
}

const AttributeSet& Tuner::attributes() const {
  static const AttributeSet none;
  return subject_.attributes != nullptr ? *subject_.attributes : none;
}

std::unique_ptr<search::Search> Tuner::new_search(std::vector<search::Candidate> candidates) const {
  return search::find(settings_.search).make(std::move(candidates), attributes(), parameters());
}

search::Parameters Tuner::parameters() const {
  search::Parameters parameters;
  parameters.estimator = &estimate::find(settings_.outliers);
  parameters.options = settings_.search_options;
  parameters.common_clock = timing_.common_clock();
  parameters.whole_blocks = timing_.whole_blocks();
  return parameters;
}

/// Production is not looked at for so many starts, which run on the licence; where each of them is traced they ask.
void Tuner::leave_alone(std::int64_t starts) {
  leader_.set_quiet(true);
  grant_quiet(starts);
}

search::Ticket Tuner::next(std::int64_t request) {
  const std::int64_t left = lease_.settle();
  comparing_ = false;
  lease_.count_start();
  asker_ = request;
  if (!fates_.exhausted().empty()) {
    return {asked_, -1, starts()};
  }
  if (decided_) {
    lease_.count_production();
  }
  if (still_waits()) {
    return while_waiting();
  }
  if (left == 0 && leader_.step_due()) {
    return compare();
  }
  if (resting_ && left > 0) {
    // Of a request that did not hold the licence, or no longer.
    grant_quiet(left - 1 + leader_.postponed());
    lease_.count_production();
    return {asked_, -1, starts()};
  }
  if (joins_interval(request)) {
    return {asked_, -1, starts()};
  }
  if (!decided_ && agreement_.active() && starts() >= agreement_due_) {
    absorb();
    if (decided_) {
      lease_.count_production();
    }
  }
  if (!decided_ && !agreement_.active() && search_->ready()) {
    auto numbers = search_->pending();
    if (const Intervals* intervals = timing_.intervals()) {
      numbers.push_back(intervals->irregularity());
    }
    numbers.push_back(fates_.flag());
    agreement_.post(std::move(numbers), context_);
    agreement_due_ = starts() + 1;
  }
  if (decided_) {
    watch(left);
  }
  return again();
}

search::Ticket Tuner::again() {
  if (teacher_ != nullptr) {
    return while_waiting();
  }
  search::Ticket ticket = decided_ ? search::Ticket{static_cast<int>(winner()), -1, 0} : search_->next();
  ticket.start = starts();
  asked_ = ticket.candidate;
  Intervals* intervals = timing_.intervals();
  if (intervals != nullptr && intervals->joins()) {  // instead of what the measurement under way is of
    intervals->spoil();
    ticket.slot = -1;
    return ticket;
  }
  rest(ticket);
  return ticket;
}

/// Starts that only run the leader of a search need not ask, as in production; equally many on all ranks.
void Tuner::rest(const search::Ticket& ticket) {
  const int starts = !decided_ && ticket.slot < 0 ? search_->skip() : 0;
  resting_ = starts > 0;
  if (resting_) {
    if (Intervals* intervals = timing_.intervals()) {
      intervals->forget();
    }
    lease_.open();
    lease_.count_production();
    leader_.set_quiet(starts >= shortest_rest && leader_.is(ModeCandidate{ticket.candidate}));
    grant_quiet(starts);
  }
}

void Tuner::add_preparation(double seconds) {
  log_.prepare(seconds);
  if (!decided_ && asked_ >= 0) {
    search_->spend(asked_, seconds);
  }
}

void Tuner::absorb() {
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
  listen();
  search_->absorb(reduced);
  if (study_ != nullptr) {
    study_->findings->take(subject_.candidates, *search_);
    const auto& known = search_->knowledge();
    const auto best = std::ranges::min_element(known, {}, &search::Knowledge::judged_s);
    study_->leader = std::isfinite(best->judged_s)
                         ? subject_.candidates[static_cast<std::size_t>(best - known.begin())].name
                         : std::string();
  }
  log_.agreement(starts(), search_->knowledge());
  drop_failed(some_failed);
  note_decision();
  recheck_former_winner();
}

void Tuner::drop(ModeCandidate candidate, const std::string& reason, std::int64_t request) {
  log_.drop(request, candidate, reason);
  if (decided_ && leader_.is(candidate)) {
    withdraw(text(subject_.candidates[place(candidate)].name, " was dropped: ", reason));
  }
  search_->drop(static_cast<int>(candidate), reason);
  if (resting_) {
    grant_quiet(0);
  }
  if (leader_.is(candidate) || candidate == first_candidate) {
    leader_.abandon_comparison();
  }
  fates_.drop(candidate, reason);
  note_decision();
}

/// Drops the candidates that have failed when they ran, where \p some rank has one. Why all ranks take the same branch:
/// they come here in the same start, with a flag that was reduced, and share here which candidates failed and why.
/// Collective.
void Tuner::drop_failed(bool some) {
  if (!some) {
    return;
  }
  if (mode_ == Mode::timed) {  // the timer shares which of its requests' codelets have failed
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
      log_.drop(asker_, candidate, reasons[i]);
      fates_.exhaust(reasons[i]);
      lease_.settle();
      return;
    }
    drop(candidate, reasons[i], asker_);
  }
}

void Tuner::prime(std::span<const estimate::Numbers> known, Trust trust, int favourite) {
  if (trust == Trust::verify) {
    verify(known, favourite, search::Doubt::another_run, false);
  } else {
    search_->prime(known);
  }
  note_decision();
}

/// All that was known of the candidates that are left is the prior of another search, which begins with \p found where
/// that is given.
void Tuner::verify(std::span<const estimate::Numbers> prior, int favourite, search::Doubt doubt, bool after_slowdown,
                   const std::vector<estimate::Numbers>& found) {
  auto search = std::make_unique<search::Verification>(
      subject_.candidates, attributes(), parameters(), prior,
      [this, found](std::vector<search::Candidate> candidates) {
        auto anew = new_search(std::move(candidates));
        if (!found.empty()) {
          anew->prime(found);
        }
        return anew;
      },
      doubt, favourite);
  drop_what_was_dropped(*search);
  search_ = CurrentSearch(std::move(search), after_slowdown);
}

void Tuner::drop_what_was_dropped(search::Search& search) const {
  const auto& dropped = fates_.all_dropped();
  for (std::size_t i = 0; i < dropped.size(); ++i) {
    if (dropped[i].has_value()) {
      search.drop(static_cast<int>(i), *dropped[i]);
    }
  }
}

}  // namespace adcl::runtime
