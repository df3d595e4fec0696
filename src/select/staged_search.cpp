#include "select/staged_search.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"

namespace adcl::select {

void StagedSearch::begin(std::vector<int> members, std::unique_ptr<Search> stage) {
  members_ = std::move(members);
  stage_ = std::move(stage);
  first_slot_ = slots_;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (!drop_reason(members_[i]).empty()) {
      stage_->drop(static_cast<int>(i), drop_reason(members_[i]));
    }
  }
}

void StagedSearch::begin_with_all(std::unique_ptr<Search> stage) {
  begin(indices_below(static_cast<int>(dropped_.size())), std::move(stage));
}

int StagedSearch::member_index(int candidate) const {
  if (members_.size() == dropped_.size()) {
    return candidate;  // all candidates are members
  }
  const auto found = std::ranges::find(members_, candidate);
  return found != members_.end() ? static_cast<int>(found - members_.begin()) : -1;
}

/// Converts a ticket to the stage's indices. It has no slot if it does not belong to this stage.
Ticket StagedSearch::in_stage(const Ticket& ticket) const {
  const int index = member_index(ticket.candidate);
  return {index, index < 0 ? -1 : std::max(ticket.slot - first_slot_, -1), ticket.start};
}

Ticket StagedSearch::next() {
  Ticket ticket = stage_->next();
  ticket.candidate = members_[at(ticket.candidate)];
  if (ticket.slot >= 0) {
    ticket.slot += first_slot_;
    slots_ = ticket.slot + 1;
  }
  return ticket;
}

bool StagedSearch::record(const Ticket& ticket, double seconds, double left_s) {
  return stage_->record(in_stage(ticket), seconds, left_s);
}

bool StagedSearch::amend(const Ticket& ticket, double seconds) { return stage_->amend(in_stage(ticket), seconds); }

void StagedSearch::spend(int candidate, double seconds) {
  if (const int index = member_index(candidate); index >= 0) {
    stage_->spend(index, seconds);
  }
}

void StagedSearch::absorb(std::span<const double> reduced) {
  // Ignores the reduced numbers of an earlier stage, which arrive before this stage is ready.
  if (stage_->ready()) {
    stage_->absorb(reduced);
    follow();
  }
}

void StagedSearch::drop(int candidate, const std::string& reason) {
  require(candidate >= 0 && at(candidate) < dropped_.size(), Code::argument, "drop() of candidate ", candidate,
          "; there are ", dropped_.size());
  if (!drop_reason(candidate).empty()) {
    return;
  }
  const std::string why = reason.empty() ? "the codelet cannot run" : reason;
  const bool last_of_all = std::ranges::count(dropped_, "") == 1;
  const bool last_of_stage =
      std::ranges::none_of(members_, [&](int member) { return member != candidate && drop_reason(member).empty(); });
  if (member_index(candidate) >= 0 && (!last_of_stage || last_of_all)) {
    stage_->drop(member_index(candidate), why);  // throws for the last candidate
  }
  dropped_[at(candidate)] = why;
  follow();
}

void StagedSearch::prime(std::span<const measure::Numbers> /*known*/) {
  throw Error(Code::state, "prime() of a search that began with earlier results");
}

}  // namespace adcl::select
