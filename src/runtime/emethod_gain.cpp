// In production: how much faster the winner is than the first codelet of the table.
//
// Why all ranks take the same branch: the comparison goes on at numbers of starts that follow from agreed times
// (search/gain.hpp), and only where starts are quiet, that is, between two checks of production or while a search runs
// its leader. Where starts are quiet is a number of starts, too.
#include <algorithm>
#include <utility>

#include "runtime/emethod.hpp"

namespace adcl::runtime {
std::optional<ModeCandidate> Emethod::compared() const noexcept {
  return comparison_ != nullptr && comparison_->pairs.open() ? std::optional(first_candidate) : std::nullopt;
}

/// A winner is known. Programs that want no monitoring are not compared either, and a timer has no first codelet. Where
/// ranks would have to meet before a block, production is not compared: the application never stops for that.
void Emethod::compare_with_first() {
  const auto winner = static_cast<int>(winner_);
  if (settings_.monitor == 0 || mode_ == Mode::timed || whole_blocks_ || winner == 0 ||
      fates_.dropped(first_candidate)) {
    abandon_comparison();
    return;
  }
  if (comparison_ == nullptr) {
    comparison_ = std::make_unique<Comparison>(sees_arrivals_);
  }
  if (comparison_->pairs.winner() != winner) {
    abandon_comparison();
    const auto& known = search_->knowledge();
    comparison_->pairs.compare(winner, known.front().judged_s, known[place(winner_)].judged_s, starts());
  }
}

void Emethod::abandon_comparison() {
  if (comparison_ != nullptr) {
    if (comparison_->agreement.active()) {
      comparison_->agreement.wait();
    }
    comparison_->later = 0;
    comparison_->quiet = false;
    comparison_->pairs.abandon();
  }
}

/// Starts that need not ask, up to the next step of the comparison; the others follow that step. Where each start in
/// production is traced, all of them ask.
void Emethod::grant_quiet(std::int64_t starts) {
  std::int64_t now = starts;
  if (comparison_ != nullptr) {
    comparison_->later = 0;
  }
  if (comparison_ != nullptr && comparison_->quiet) {
    now = std::clamp<std::int64_t>(comparison_->pairs.due() - this->starts(), 0, starts);
    comparison_->later = starts - now;
  }
  lease_.grant(now, decided_ && settings_.trace_production);
}

/// \p left: quiet starts that need not ask.
bool Emethod::comparison_is_due(std::int64_t left) const noexcept {
  return left <= 0 && comparison_ != nullptr && comparison_->later > 0;
}

/// A start of a pair. After the last one of a group, the numbers of the group are posted, and some starts later
/// absorbed; both happen in quiet starts, which then go on.
search::Ticket Emethod::compare() {
  if (!decided_) {
    lease_.count_production();
  }
  if (const auto ticket = comparison_ticket()) {
    comparing_ = true;
    return *ticket;
  }
  grant_quiet(std::exchange(comparison_->later, 0) - 1);
  return {static_cast<int>(winner_), -1, starts()};
}

std::optional<search::Ticket> Emethod::comparison_ticket() {
  search::GainPairs& pairs = comparison_->pairs;
  mpi::Agreement& agreement = comparison_->agreement;
  if (agreement.active()) {
    pairs.absorb(agreement.wait(), starts());
    log_.gain(starts(), winner_, gain());
    return std::nullopt;
  }
  const auto start = pairs.next();
  if (!start.has_value()) {
    agreement.post(pairs.pending(), context_);
    pairs.posted(starts());
    return std::nullopt;
  }
  const int slot = start->sample < 0 ? comparison_warm_up : comparison_sample - start->sample;
  return search::Ticket{start->first ? 0 : static_cast<int>(winner_), slot, starts(), false};
}

void Emethod::took_comparison(const search::Ticket& ticket, double seconds, double left_s, std::int64_t request,
                              bool replaces) {
  if (comparison_ != nullptr && ticket.slot <= comparison_sample) {
    comparison_->pairs.record(comparison_sample - ticket.slot, seconds, left_s);
    log_.measurement(ticket, seconds, left_s, request, true, replaces);
  }
}

std::optional<search::Gain> Emethod::gain() const {
  return comparison_ != nullptr ? comparison_->pairs.gain() : std::nullopt;
}

}  // namespace adcl::runtime
