// Chooses the plan that a request runs in production, and the plans to keep.
#include <limits>

#include "request/request.hpp"

namespace adcl::runtime {

/// A comparison in production uses existing plans only: making one would wait for other ranks. If this request lacks
/// one of the two plans, it runs the winner, and the time does not count. All ranks have the same plans.
select::Ticket Request::with_plans(select::Ticket ticket, Mode mode, const Decider& decider) const {
  const Candidate asked = deciders_->candidate(mode, ModeCandidate{ticket.candidate});
  if (is_comparison(ticket) && !plans_.made(asked)) {
    ticket.candidate = static_cast<int>(decider.winner());
    ticket.slot = comparison_warm_up;
  }
  return ticket;
}

/// The winner, or if this request cannot make its plan, the fastest other candidate by known results.
Candidate Request::in_production(Mode mode, const Decider& decider) const {
  const Candidate winner = deciders_->candidate(mode, decider.winner());
  if (plans_.usable(winner)) {
    return winner;
  }
  Candidate best = no_candidate;
  double best_s = std::numeric_limits<double>::infinity();
  const auto knowledge = decider.knowledge();
  for (std::size_t i = 0; i < knowledge.size(); ++i) {
    const Candidate candidate = deciders_->candidate(mode, index_at<ModeCandidate>(i));
    if (plans_.usable(candidate) && (best == no_candidate || knowledge[i].judged_s < best_s)) {
      best = candidate;
      best_s = knowledge[i].judged_s;
    }
  }
  if (best == no_candidate) {
    throw_no_codelet(mode, decider);
  }
  return best;
}

/// Identifies the decision and whether a plan besides the winner's is needed; negative while the decider is only
/// settled.
int Request::standing(const Decider& decider, int before) {
  const int compares = decider.compared().has_value() ? 1 : 0;
  if (decider.decided()) {
    return 2 * decider.decisions() + compares;
  }
  return decider.settled() ? -2 * (1 + decider.decisions()) - compares : before;
}

}  // namespace adcl::runtime
