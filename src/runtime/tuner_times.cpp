// What the times of a search are: of operations, or of intervals between starts.
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "mpi/clock.hpp"
#include "runtime/stopwatch.hpp"
#include "runtime/tuner.hpp"

namespace adcl::runtime {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

/// Ends the measurement that lasted until this start, where one did. True: the start joins one that is under way.
bool Tuner::joins_interval(std::int64_t request) {
  Intervals* intervals = timing_.intervals();
  if (intervals == nullptr || decided_) {
    return false;
  }
  const auto ended = intervals->start(request, {now(), library_time.preparation_s, library_time.operations_s});
  if (ended.has_value()) {
    search::Ticket ticket = ended->ticket;
    ticket.slot = ended->valid ? ticket.slot : -1;
    measured(ticket, ended->seconds, unknown, ended->request);
  }
  return intervals->joins();
}

/// The operation that ends now; NaN where arrivals are not seen.
double Tuner::left_now() const { return timing_.common_clock() ? now() + mpi::node_clock_offset_s() : unknown; }

void Tuner::took(const search::Ticket& ticket, double seconds, std::int64_t request) {
  if (is_comparison(ticket)) {
    took_comparison(ticket, seconds, left_now(), request, false);
    return;
  }
  if (decided_ && leader_.is(ModeCandidate{ticket.candidate})) {
    if (sampling_ || !settings_.trace_production) {
      drift_.record(seconds);
    }
    log_.measurement(ticket, seconds, left_now(), request, true, false);
  }
  Intervals* intervals = timing_.intervals();
  if (!decided_ && !(intervals != nullptr && intervals->took(ticket, seconds))) {
    measured(ticket, seconds, left_now(), request);
  }
}

/// While searching: \p seconds is what the start of \p ticket is judged by.
void Tuner::measured(const search::Ticket& ticket, double seconds, double left_s, std::int64_t request) {
  log_.spend(ticket, seconds);
  search_->spend(ticket.candidate, seconds);
  if (ticket.slot >= 0 && search_->record(ticket, seconds, left_s)) {
    log_.measurement(ticket, seconds, left_s, request, false, false);
  }
}

/// Discards the search and begins another one, with the times of operations. Nothing that was measured between starts
/// is kept: no prior, no leader, no findings for similar searches. The same on all ranks, since the irregularity was
/// reduced over them.
void Tuner::judge_by_operations(double irregularity) {
  timing_.judge_by_operations(irregularity);
  leader_.retire();
  if (study_ != nullptr) {
    study_->forget();
  }
  auto search = new_search(subject_.candidates);
  drop_what_was_dropped(*search);
  search_ = CurrentSearch(std::move(search));
  before_.reset();
  log_.begin_search();
  note_decision();
}

void Tuner::amend(const search::Ticket& ticket, double seconds, std::int64_t request) {
  if (is_comparison(ticket)) {
    took_comparison(ticket, seconds, unknown, request, true);
    return;
  }
  if (decided_ && sampling_) {
    drift_.amend(seconds);
  }
  if (decided_ && timed() && leader_.is(ModeCandidate{ticket.candidate})) {
    log_.measurement(ticket, seconds, unknown, request, true, true);
  }
  Intervals* intervals = timing_.intervals();
  if (!decided_ && intervals != nullptr && intervals->replace(ticket)) {
    measured(ticket, seconds, unknown, request);
    return;
  }
  if (!decided_ && ticket.slot >= 0 && search_->amend(ticket, seconds)) {
    if (const double difference_s = log_.correct(ticket, seconds); difference_s != 0.0) {
      search_->spend(ticket.candidate, difference_s);
    }
    log_.measurement(ticket, seconds, unknown, request, false, true);
  }
}

}  // namespace adcl::runtime
