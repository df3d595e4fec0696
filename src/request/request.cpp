#include "request/request.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "mpi/agreement.hpp"
#include "mpi/check.hpp"
#include "mpi/environment.hpp"
#include "output/trace.hpp"
#include "request/user_call.hpp"

namespace adcl::runtime {
namespace {

constexpr double keep_plan_ratio = 1.15;  ///< relative time up to which a search with a provisional winner keeps plans

/// Returns a number that identifies the decision and whether a second plan is needed: positive for a final winner,
/// negative for a provisional winner, \p before if there is no winner.
int phase(const Decider& decider, int before) {
  const int compares = decider.compared_candidate().has_value() ? 1 : 0;
  if (decider.decided()) {
    return 2 * decider.decisions() + compares;
  }
  return decider.has_winner() ? -2 * (1 + decider.decisions()) - compares : before;
}

}  // namespace

Request::Request() = default;

Request::~Request() {
  plans_.clear();
  if (tag_span_ > 0) {
    context_->give_back_tags(tag_base_, tag_span_);
  }
}

const Codelet& Request::row(Candidate candidate) const {
  return parts_.set->set.codelets[index_of(rows_[index_of(candidate)])];
}

/// Succeeds on all ranks or throws on all ranks.
PlanPointer Request::make_plan(Candidate candidate) {
  if (!parts_.set->predefined()) {
    return user_plan(parts_.set->functions[index_of(rows_[index_of(candidate)])], *this);
  }
  PlanPointer plan;
  mpi::run_collectively(context_->comm(),
                        [&] { plan = row(candidate).algorithm.plan(*problem_, *context_, buffers_); });
  return plan;
}

/// All ranks run the same loop: tickets depend on agreed numbers, and the creation of a plan agrees on failures. A
/// failure applies to all modes, so that ranks do not diverge if a plan was created on some ranks only.
Request::NextOperation Request::next_operation(Mode mode) {
  NextOperation next;
  Decider& decider = deciders_->for_mode(mode);
  next.decider = &decider;
  measure::Stopwatch watch(!decider.decided(), &measure::LibraryTime::preparation_s);
  {
    const measure::Stopwatch::Lap lap(watch);
    next.ticket = decider.next(id_);
    if (!decider.final_failure().empty()) {
      throw_no_codelet(mode, decider);
    }
    next.ticket = limit_to_made_plans(next.ticket, mode, decider);
    while (true) {
      const ModeCandidate asked{next.ticket.candidate};
      const bool production = decider.decided() && (!is_comparison(next.ticket) || asked == decider.winner());
      next.candidate = production ? production_candidate(mode, decider) : deciders_->candidate(mode, asked);
      next.plan = plans_.get(next.candidate);
      if (next.plan != nullptr) {
        break;
      }
      if (!production) {
        if (decider.is_last(asked)) {
          throw_no_codelet(mode, decider);
        }
        decider.drop(asked, plans_.failure(next.candidate), id_);
        next.ticket = decider.next_after_drop();
      }
    }
    if (next.ticket.synchronizes) {
      mpi::check(MPI_Barrier(context_->comm()), "MPI_Barrier");
    }
    // All starts of a search are timed to determine its cost; the search uses only the times of starts with a slot. In
    // production, only some starts are timed.
    next.measured = decider.timed();
    next.capabilities = &row(next.candidate).capabilities;
    last_ = {mode, next.candidate};
    last_ticket_ = next.ticket;
    int& now = phases_.at(index_of(mode));
    if (const int before = std::exchange(now, phase(decider, now)); now != before) {
      free_unneeded_plans();
    }
  }
  if (watch.measures()) {
    decider.add_preparation(watch.seconds());
  }
  return next;
}

/// A comparison in production uses only existing plans, because creating one would wait for other ranks. If this
/// request lacks one of the two plans, it runs the winner, and the time is ignored. All ranks have the same plans.
select::Ticket Request::limit_to_made_plans(select::Ticket ticket, Mode mode, const Decider& decider) const {
  const Candidate asked = deciders_->candidate(mode, ModeCandidate{ticket.candidate});
  if (is_comparison(ticket) && !plans_.has_plan(asked)) {
    ticket.candidate = static_cast<int>(decider.winner());
    ticket.slot = comparison_warm_up;
  }
  return ticket;
}

/// Returns the winner or, if this request cannot create its plan, the fastest other candidate by known results.
Candidate Request::production_candidate(Mode mode, const Decider& decider) const {
  const Candidate winner = deciders_->candidate(mode, decider.winner());
  if (plans_.can_make(winner)) {
    return winner;
  }
  const auto knowledge = decider.knowledge();
  std::vector<int> members = select::indices_below(static_cast<int>(knowledge.size()));
  std::erase_if(members, [&](int i) { return !plans_.can_make(deciders_->candidate(mode, ModeCandidate{i})); });
  if (members.empty()) {
    throw_no_codelet(mode, decider);
  }
  const int best = select::lowest(members, [&](int i) { return knowledge[select::at(i)].judged_s; });
  return deciders_->candidate(mode, ModeCandidate{best});
}

std::optional<ModeCandidate> Request::find_member(Mode mode, const Decider& decider, Candidate candidate) const {
  for (std::size_t i = 0; i < decider.knowledge().size(); ++i) {
    const auto member = from_index<ModeCandidate>(i);
    if (deciders_->candidate(mode, member) == candidate) {
      return member;
    }
  }
  return std::nullopt;
}

void Request::throw_no_codelet(Mode mode, const Decider& decider) const {
  std::string reasons;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto candidate = from_index<Candidate>(i);
    const auto member = find_member(mode, decider, candidate);
    std::string reason = text("not a candidate for requests used by ", mode_name(mode));
    if (member.has_value()) {
      const std::string& removed = decider.knowledge()[index_of(*member)].removed;
      reason = plans_.can_make(candidate) ? (removed.empty() ? decider.final_failure() : removed)
                                          : plans_.failure(candidate);
    }
    reasons += (reasons.empty() ? "" : "; ") + row(candidate).name + ": " + reason;
  }
  for (const std::string& reason : excluded_) {
    reasons += "; " + reason;
  }
  throw Error(Code::no_codelet,
              text("no codelet of ", parts_.set->set.name, " is left for ", problem_->describe(), ": ", reasons));
}

/// Frees the plans that no mode of this request needs. If a search has a provisional winner, also frees the plans of
/// clearly slower codelets; another trial creates them again. Called at the same start on all ranks, with nothing in
/// flight.
void Request::free_unneeded_plans() {
  clear_ready();
  std::vector<bool> needed(rows_.size(), false);
  for (std::size_t m = 0; m < mode_count; ++m) {
    const auto mode = static_cast<Mode>(m);
    const Decider* decider = deciders_->find(mode);
    if (decider == nullptr) {
      continue;
    }
    if (const auto compared = decider->compared_candidate()) {
      needed[index_of(deciders_->candidate(mode, *compared))] = true;
    }
    if (decider->decided()) {
      needed[index_of(production_candidate(mode, *decider))] = true;
      continue;
    }
    const auto knowledge = decider->knowledge();
    const double longest_s = decider->has_winner() ? keep_plan_ratio * knowledge[index_of(decider->winner())].judged_s
                                                   : std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < knowledge.size(); ++i) {
      const Candidate candidate = deciders_->candidate(mode, from_index<ModeCandidate>(i));
      if (candidate == last_.candidate || !(knowledge[i].judged_s > longest_s)) {
        needed[index_of(candidate)] = true;
      }
    }
  }
  plans_.retire([&](Candidate candidate) { return static_cast<bool>(needed[index_of(candidate)]); });
}

void Request::require_idle() const {
  require(busy_ != Busy::in_call, Code::state,
          "a user-defined function is running for the request; make this call after it has returned");
  require(busy_ == Busy::no || flight_.mode != Mode::functions, Code::state,
          "the request is in flight with its work functions; make this call after the last of them has returned");
  require(busy_ == Busy::no, Code::state, "the request is in flight; complete it with ADCL_Request_wait first");
}

void Request::set_ready(const NextOperation& next) {
  ready_.at(index_of(last_.mode)) = {next.plan, next.decider->lease(), last_, next.capabilities};
}

void Request::clear_ready() {
  for (Ready& ready : ready_) {
    ready.plan = nullptr;
  }
}

void Request::codelet_failed(const std::string& reason) {
  Decider& decider = *deciders_->find(last_.mode);
  if (const auto member = find_member(last_.mode, decider, last_.candidate)) {
    decider.add_failure(*member, reason);
  }
}

void Request::update(double seconds) {
  require(seconds >= 0.0 && seconds <= std::numeric_limits<double>::max(), Code::argument, "seconds is ", seconds,
          "; pass a finite number of at least 0");
  Decider* decider = deciders_->find(last_.mode);
  require(decider != nullptr, Code::state,
          "the request was never started, so there is no time to replace; start the request first");
  require_idle();
  decider->amend(last_ticket_, seconds, id_);
}

/// All ranks reopen a search, or none does, because they have used the request in the same way and decided at the same
/// start.
void Request::verify() {
  mpi::run_collectively(context_->comm(), [this] { require_idle(); });
  if (Decider* decider = deciders_->find(last_.mode)) {
    decider->reopen("the application called ADCL_Request_verify");
  } else {
    group_->verify_primed_results();
  }
}

void Request::set_deciders(std::shared_ptr<Deciders> deciders, const void* owner) {
  require_idle();
  deciders_ = deciders != nullptr ? std::move(deciders) : group_;
  decider_owner_ = owner;
  clear_ready();
  phases_ = {};
}

void Request::update_addresses() {
  addresses_.clear();
  for (const data::Field& field : parts_.fields) {
    addresses_.push_back({field.send_vector != nullptr ? field.send_vector->data() : nullptr,
                          field.receive_vector != nullptr ? field.receive_vector->data() : nullptr});
  }
  buffers_ = addresses_;
  const data::Field& first = parts_.fields.front();
  others_.accepted = parts_.set->predefined() && parts_.fields.size() == 1;
  others_.one_array = first.send_vector == first.receive_vector;
}

void Request::set_name(const std::string& name) {
  group_->add_name(name);
  write_trace(group_->settings().trace, *context_, NameRecord{id_, group_->subject().id, name});
}

void Request::rebind() {
  update_addresses();
  clear_ready();
  const bool several = parts_.fields.size() > 1;
  plans_.retire([&](Candidate candidate) {
    const Capabilities& capabilities = row(candidate).capabilities;
    return !capabilities.fixed_buffers && !(several && capabilities.fixed_several);
  });
}

bool Request::uses(const data::Vector* vector) const noexcept {
  return std::ranges::any_of(parts_.fields, [vector](const data::Field& field) {
    return field.send_vector.get() == vector || field.receive_vector.get() == vector;
  });
}

bool Request::decided() const {
  const Decider* decider = deciders_->find(last_.mode);
  return decider != nullptr && decider->has_winner();
}

std::string Request::current_codelet() const {
  return last_.candidate == no_candidate ? "" : row(last_.candidate).name;
}

std::string Request::winner() const {
  if (!decided()) {
    return "";
  }
  const Decider& decider = *deciders_->find(last_.mode);
  return row(decider.decided() ? production_candidate(last_.mode, decider)
                               : deciders_->candidate(last_.mode, decider.winner()))
      .name;
}

const std::vector<int>& Request::attribute_values() const {
  require(last_.candidate != no_candidate, Code::state,
          "the request was never started, so no codelet has attribute values; start the request first");
  return row(last_.candidate).attributes;
}

measure::Numbers Request::numbers(Candidate candidate) const {
  const Decider* decider = deciders_->find(last_.mode);
  const auto member = decider != nullptr ? find_member(last_.mode, *decider, candidate) : std::nullopt;
  return member.has_value() ? decider->knowledge()[index_of(*member)].numbers : measure::Numbers{};
}

}  // namespace adcl::runtime
