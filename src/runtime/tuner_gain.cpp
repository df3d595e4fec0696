// In production: how much faster the winner is than the first codelet of the table.
#include "runtime/tuner.hpp"

namespace adcl::runtime {

/// A winner is known. Programs that want no monitoring are not compared either, and a timer has no first codelet. Where
/// ranks would have to meet before a block, production is not compared: the application never stops for that.
void Tuner::compare_with_first() {
  if (settings_.monitor == 0 || mode_ == Mode::timed || timing_.whole_blocks() || winner() == first_candidate ||
      fates_.dropped(first_candidate)) {
    leader_.abandon_comparison();
    return;
  }
  const auto& known = search_->knowledge();
  leader_.compare(known.front().judged_s, known[place(winner())].judged_s, starts());
}

/// Grants the starts up to the next step of the comparison; the others follow that step. Where each start in production
/// is traced, all of them ask.
void Tuner::grant_quiet(std::int64_t quiet) {
  lease_.grant(leader_.before_next_step(quiet, starts()), decided_ && settings_.trace_production);
}

/// A start of a pair. After the last one of a group, the numbers of the group are posted, and some starts later
/// absorbed; both happen in quiet starts, which then go on.
search::Ticket Tuner::compare() {
  if (!decided_) {
    lease_.count_production();
  }
  const Leader::Step step = leader_.step(starts());
  if (step.absorbed) {
    log_.gain(starts(), winner(), leader_.gain());
  }
  if (step.ticket.has_value()) {
    comparing_ = true;
    return *step.ticket;
  }
  grant_quiet(leader_.postponed() - 1);
  return {static_cast<int>(winner()), -1, starts()};
}

void Tuner::took_comparison(const search::Ticket& ticket, double seconds, double left_s, std::int64_t request,
                            bool replaces) {
  if (ticket.slot <= comparison_sample) {
    leader_.record(ticket, seconds, left_s);
    log_.measurement(ticket, seconds, left_s, request, true, replaces);
  }
}

}  // namespace adcl::runtime
