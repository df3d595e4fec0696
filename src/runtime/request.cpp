#include "runtime/request.hpp"

#include <algorithm>
#include <limits>

#include "core/error.hpp"
#include "mpi/check.hpp"
#include "mpi/environment.hpp"
#include "runtime/trace.hpp"
#include "runtime/user_plan.hpp"

namespace adcl::runtime {
namespace {

constexpr const char* running_text =
    "a function of the application's own is running for the request; make this call after it has returned";

}  // namespace

Request::Request() = default;

Request::~Request() {
  for (PlanPointer& plan : plans_) {
    plan.reset();
  }
  if (tag_span_ > 0) {
    context_->give_back_tags(tag_base_, tag_span_);
  }
}

const Codelet& Request::row(int index) const {
  return parts_.set->set.codelets[static_cast<std::size_t>(rows_[static_cast<std::size_t>(index)])];
}

PlanPointer Request::make_plan(int index) {
  if (!parts_.set->predefined()) {
    const auto which = static_cast<std::size_t>(rows_[static_cast<std::size_t>(index)]);
    return std::make_unique<UserPlan>(parts_.set->functions[which], *this);
  }
  return row(index).algorithm.plan(*problem_, *context_, buffers_);
}

Plan* Request::plan_at(int index, std::string& failure) {
  PlanPointer& plan = plans_[static_cast<std::size_t>(index)];
  if (plan != nullptr) {
    return plan.get();
  }
  const auto error = error_of([&] {
    if (parts_.set->predefined()) {
      run_agreed(*context_, [&] { plan = make_plan(index); });
    } else {
      plan = make_plan(index);
    }
  });
  if (error.has_value()) {
    failure = error->what();
    plan.reset();
  }
  return plan.get();
}

/// All ranks walk through the same loop: tickets depend on agreed numbers, plan_at() agrees on failures.
Request::Acquired Request::acquire(Mode mode) {
  Acquired acquired;
  acquired.emethod = &group_->in(mode);
  const bool searching = !acquired.emethod->decided();
  const double begin = searching ? MPI_Wtime() : 0.0;
  acquired.ticket = acquired.emethod->take();
  while (true) {
    const bool production = acquired.emethod->decided();
    acquired.index =
        production ? production_index(mode, *acquired.emethod) : group_->index(mode, acquired.ticket.candidate);
    // Once agreed on it holds for all ways of use: where a plan was made on some ranks only, they must not part here.
    std::string& failure = failures_[static_cast<std::size_t>(acquired.index)];
    if (failure.empty()) {
      acquired.plan = plan_at(acquired.index, failure);
    }
    if (acquired.plan != nullptr) {
      break;
    }
    if (!production) {
      if (acquired.emethod->is_last(acquired.ticket.candidate)) {
        throw_no_codelet(mode, *acquired.emethod);
      }
      acquired.emethod->drop(acquired.ticket.candidate, failure, id_);
      acquired.ticket = acquired.emethod->again();
    }
  }
  // All starts of a search are timed, for what it costs; it uses those that have a slot.
  acquired.measured = !acquired.emethod->decided();
  last_ = {mode, acquired.index};
  last_ticket_ = acquired.ticket;
  if (acquired.emethod->decided() && !settled_.at(static_cast<std::size_t>(mode))) {
    settled_.at(static_cast<std::size_t>(mode)) = true;
    retire();
  }
  if (searching) {
    acquired.emethod->add_preparation(MPI_Wtime() - begin);
  }
  return acquired;
}

/// The winner, or when this request cannot make its plan, the best of the others by what the search knows.
int Request::production_index(Mode mode, const Emethod& emethod) const {
  const int winner = group_->index(mode, emethod.winner());
  if (usable(winner)) {
    return winner;
  }
  int best = -1;
  double best_s = std::numeric_limits<double>::infinity();
  const auto& knowledge = emethod.search().knowledge();
  for (std::size_t i = 0; i < knowledge.size(); ++i) {
    const int index = group_->index(mode, static_cast<int>(i));
    if (usable(index) && (best < 0 || knowledge[i].judged_s < best_s)) {
      best = index;
      best_s = knowledge[i].judged_s;
    }
  }
  if (best < 0) {
    throw_no_codelet(mode, emethod);
  }
  return best;
}

void Request::throw_no_codelet(Mode mode, const Emethod& emethod) const {
  std::vector<std::string> reasons(rows_.size(), "it is blocking, and this way of use considers non-blocking codelets");
  const auto& knowledge = emethod.search().knowledge();
  for (std::size_t i = 0; i < knowledge.size(); ++i) {
    const auto index = static_cast<std::size_t>(group_->index(mode, static_cast<int>(i)));
    reasons[index] = failures_[index].empty() ? knowledge[i].removed : failures_[index];
  }
  std::string all;
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    all += (all.empty() ? "" : "; ") + row(static_cast<int>(i)).name + ": " + reasons[i];
  }
  for (const std::string& reason : excluded_) {
    all += "; " + reason;
  }
  throw Error(Code::no_codelet,
              text("no codelet of ", parts_.set->set.name, " is left for ", problem_->describe(), ": ", all));
}

/// Frees the plans that no mode of this request needs any more. Called at the same start on all ranks, with nothing in
/// flight, in the order of candidates: windows and communicators are freed collectively.
void Request::retire() {
  std::vector<bool> needed(plans_.size(), false);
  for (std::size_t m = 0; m < mode_count; ++m) {
    const auto mode = static_cast<Mode>(m);
    const Emethod* emethod = group_->used(mode);
    if (emethod == nullptr) {
      continue;
    }
    if (emethod->decided()) {
      needed[static_cast<std::size_t>(production_index(mode, *emethod))] = true;
    } else {
      for (std::size_t i = 0; i < emethod->subject().candidates.size(); ++i) {
        needed[static_cast<std::size_t>(group_->index(mode, static_cast<int>(i)))] = true;
      }
    }
  }
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    if (!needed[i]) {
      plans_[i].reset();
    }
  }
}

void Request::barrier(const Emethod& emethod) const {
  if (emethod.settings().barrier) {
    mpi::check(MPI_Barrier(context_->comm()), "MPI_Barrier");
  }
}

void Request::require_idle() const {
  require(calls_ == 0, Code::state, running_text);
  require(flight_.plan == nullptr || flight_.mode != Mode::functions, Code::state,
          "the request is in flight with its work functions; make this call after the last of them has returned");
  require(flight_.plan == nullptr, Code::state, "the request is in flight; complete it with ADCL_Request_wait first");
}

void Request::start_searching() {
  require_idle();
  const Acquired acquired = acquire(Mode::blocking);
  if (!acquired.measured) {
    if (acquired.emethod->decided()) {
      fast_ = acquired.plan;
      fast_use_ = last_;
    }
    acquired.plan->run(buffers_);
    return;
  }
  barrier(*acquired.emethod);
  const double begin = MPI_Wtime();
  acquired.plan->run(buffers_);
  barrier(*acquired.emethod);
  acquired.emethod->record(acquired.ticket, MPI_Wtime() - begin, id_);
}

void Request::init() {
  require_idle();
  if (fast_split_ != nullptr) {
    last_ = fast_split_use_;
    take_off({fast_split_, {0, -1, 0}, Mode::split, 0.0, false, fast_split_deferred_, fast_split_depth_});
  } else {
    const Acquired acquired = acquire(Mode::split);
    const Capabilities& capabilities = row(acquired.index).capabilities;
    if (acquired.emethod->decided()) {
      fast_split_ = acquired.plan;
      fast_split_use_ = last_;
      fast_split_deferred_ = !capabilities.nonblocking;
      fast_split_depth_ = capabilities.progress_depth;
    }
    if (acquired.measured) {
      barrier(*acquired.emethod);
    }
    take_off({acquired.plan, acquired.ticket, Mode::split, 0.0, acquired.measured, !capabilities.nonblocking,
              capabilities.progress_depth});
  }
  const double begin = flight_.measured ? MPI_Wtime() : 0.0;
  if (!flight_.deferred) {
    flight_.plan->start(buffers_);
  }
  if (flight_.measured) {
    flight_.elapsed_s = MPI_Wtime() - begin;
  }
}

void Request::take_off(const Flight& flight) {
  flight_ = flight;
  parked_ = fast_;
  fast_ = nullptr;
}

/// The operation is complete, or failed for good.
void Request::land() {
  flight_.plan = nullptr;
  fast_ = parked_;
  parked_ = nullptr;
}

void Request::wait() {
  require(calls_ == 0, Code::state, running_text);
  require(flight_.plan != nullptr, Code::state, "the request is not in flight; start it with ADCL_Request_init");
  require(flight_.mode != Mode::functions, Code::state,
          "the request runs in ADCL_Request_start_overlap, which waits for it itself");
  const Flight flight = flight_;
  land();
  const double begin = flight.measured ? MPI_Wtime() : 0.0;
  if (flight.deferred) {
    flight.plan->run(buffers_);
  } else {
    flight.plan->wait();
  }
  if (flight.measured) {
    group_->in(flight.mode).record(flight.ticket, flight.elapsed_s + MPI_Wtime() - begin, id_);
  }
}

bool Request::test() {
  require(calls_ == 0, Code::state, running_text);
  require(flight_.plan != nullptr, Code::state, "the request is not in flight; start it with ADCL_Request_init");
  if (flight_.deferred) {
    wait();
    return true;
  }
  if (flight_.mode == Mode::functions) {
    return flight_.plan->test();
  }
  const double begin = flight_.measured ? MPI_Wtime() : 0.0;
  const bool done = flight_.plan->test();
  if (flight_.measured) {
    flight_.elapsed_s += MPI_Wtime() - begin;
  }
  if (done) {
    const Flight flight = flight_;
    land();
    if (flight.measured) {
      group_->in(flight.mode).record(flight.ticket, flight.elapsed_s, id_);
    }
  }
  return done;
}

void Request::progress(int depth) {
  require(depth >= 0, Code::argument, "depth is ", depth, "; it is the nesting level of the calling loop, from 0");
  if (flight_.plan == nullptr || flight_.deferred || depth < flight_.progress_depth || !parts_.set->predefined()) {
    return;
  }
  const double begin = flight_.measured ? MPI_Wtime() : 0.0;
  flight_.plan->test();
  if (flight_.measured) {
    flight_.elapsed_s += MPI_Wtime() - begin;
  }
}

void Request::update(double seconds) {
  require(seconds >= 0.0 && seconds <= std::numeric_limits<double>::max(), Code::argument, "seconds is ", seconds,
          "; a time is a finite number that is not negative");
  Emethod* emethod = group_->used(last_.mode);
  require(emethod != nullptr, Code::state, "the request was never started; there is no time to replace");
  require_idle();
  emethod->amend(last_ticket_, seconds, id_);
}

void Request::take_addresses() {
  addresses_.clear();
  for (const FieldParts& field : parts_.fields) {
    if (field.send_vector != nullptr && field.receive_vector != nullptr) {
      addresses_.push_back({field.send_vector->data(), field.receive_vector->data()});
    }
  }
  buffers_ = addresses_;
}

void Request::set_name(const std::string& name) {
  group_->add_name(name);
  note(group_->settings().trace, *context_, NameRecord{id_, group_->subject().id, name});
}

void Request::rebind() {
  take_addresses();
  fast_ = nullptr;
  fast_split_ = nullptr;
  const bool several = parts_.fields.size() > 1;
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    const Capabilities& capabilities = row(static_cast<int>(i)).capabilities;
    if (plans_[i] != nullptr && (capabilities.fixed_buffers || (several && capabilities.fixed_several))) {
      plans_[i].reset();
    }
  }
}

bool Request::uses(const Vector* vector) const noexcept {
  return std::any_of(parts_.fields.begin(), parts_.fields.end(), [vector](const FieldParts& field) {
    return field.send_vector.get() == vector || field.receive_vector.get() == vector;
  });
}

bool Request::decided() const {
  const Emethod* emethod = group_->used(last_.mode);
  return emethod != nullptr && emethod->decided();
}

std::string Request::current_codelet() const { return last_.candidate < 0 ? "" : row(last_.candidate).name; }

std::string Request::winner() const {
  return decided() ? row(production_index(last_.mode, *group_->used(last_.mode))).name : "";
}

const std::vector<int>& Request::attribute_values() const {
  require(last_.candidate >= 0, Code::state, "no codelet ran yet; attribute values are those of the codelet that runs");
  return row(last_.candidate).attributes;
}

estimate::Numbers Request::numbers(int candidate) const {
  const Emethod* emethod = group_->used(last_.mode);
  if (emethod == nullptr) {
    return {};
  }
  for (std::size_t i = 0; i < emethod->subject().candidates.size(); ++i) {
    if (group_->index(last_.mode, static_cast<int>(i)) == candidate) {
      return emethod->search().knowledge()[i].numbers;
    }
  }
  return {};
}

}  // namespace adcl::runtime
