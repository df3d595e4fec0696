// The operations of a request: in one call, with work functions, or in two calls.
#include "core/error.hpp"
#include "mpi/check.hpp"
#include "request/request.hpp"

namespace adcl::runtime {
namespace {

/// False if the request was created with MPI_BOTTOM or without an array: then a null pointer is not an error.
bool needs_array(const data::Vector* vector) {
  return vector != nullptr && vector->data() != nullptr && vector->data() != data::Vector::no_array();
}

const void* or_no_array(const void* given, const data::Vector* vector) {
  const bool replaced = given == nullptr && vector != nullptr && vector->data() == data::Vector::no_array();
  return replaced ? data::Vector::no_array() : given;
}

}  // namespace

/// Called before and after a measured operation.
void Request::synchronize(const Decider& decider) const {
  if (decider.synchronizes()) {
    mpi::check(MPI_Barrier(context_->comm()), "MPI_Barrier");
  }
}

template <typename Operation>
void Request::run_operation(const NextOperation& next, const Operation& operation) {
  if (!next.measured) {
    operation();
    return;
  }
  synchronize(*next.decider);
  measure::Stopwatch watch(true);
  {
    const measure::Stopwatch::Lap lap(watch);
    operation();
    synchronize(*next.decider);
  }
  next.decider->record_time(next.ticket, watch.seconds(), id_);
}

void Request::start_searching(Mode mode, Buffers buffers) {
  require_idle();
  ready_.at(index_of(mode)).plan = nullptr;
  const NextOperation next = next_operation(mode);
  if (!next.measured) {
    set_ready(next);
  }
  run_operation(next, [&] { next.plan->run(buffers); });
}

void Request::start_overlap(const std::function<void()>& mid, const std::function<void()>& end,
                            const std::function<void()>& total) {
  require_idle();
  const NextOperation next = next_operation(Mode::functions);
  run_operation(next, [&] {
    // The request is in flight until the last work function returns, so no work function may free, start, or rebind it.
    begin_flight({next.plan, next.ticket, Mode::functions, measure::Stopwatch(), next.capabilities, buffers_});
    try {
      if (next.capabilities->nonblocking) {
        overlap(*next.plan, mid);
        end();
      } else {
        next.plan->run(buffers_);
        total();
      }
    } catch (...) {
      busy_ = Busy::no;
      throw;
    }
    busy_ = Busy::no;
  });
}

void Request::overlap(Plan& plan, const std::function<void()>& mid) {
  plan.start(buffers_);
  try {
    mid();
  } catch (...) {
    plan.wait();
    throw;
  }
  plan.wait();
}

/// Returns the arrays; address 0 is replaced for an array that no call reads or writes. Throws if the request does not
/// accept them. take_arrays() calls it only if its own comparisons do not suffice, because every start makes them.
FieldBuffers Request::check_arrays(const void* send, void* receive) const {
  require_idle();
  require(parts_.set->predefined(), Code::unsupported,
          "user-defined codelets get their arrays from ADCL_Request_get_field; "
          "bind other arrays with ADCL_Vector_rebind");
  require(parts_.fields.size() == 1, Code::unsupported, "the request has ", parts_.fields.size(),
          " fields; only a request with one field accepts other arrays: bind them with ADCL_Vector_rebind");
  const data::Field& field = parts_.fields.front();
  const bool sends = needs_array(field.send_vector.get());
  const bool receives = needs_array(field.receive_vector.get());
  require(send != nullptr || !sends, Code::argument, "sbuf is a null pointer; pass the address of the data to send");
  require(receive != nullptr || !receives, Code::argument,
          "rbuf is a null pointer; pass the address for the received data");
  const bool same = field.send_vector == field.receive_vector;
  require((send == receive) == same || !sends || !receives, Code::argument, "sbuf and rbuf are ",
          same ? "different arrays, but the request was created with one array for both"
               : "the same array, but the request was created with two arrays");
  return {or_no_array(send, field.send_vector.get()),
          const_cast<void*>(or_no_array(receive, field.receive_vector.get()))};
}

void Request::init_in(Mode mode, Buffers buffers) {
  require_idle();
  Ready& ready = ready_.at(index_of(mode));
  if (ready.plan != nullptr && --ready.lease->left >= 0) {
    last_ = ready.use;
    begin_flight({ready.plan, {0, -1, 0}, mode, measure::Stopwatch(), ready.capabilities, buffers});
  } else {
    ready.plan = nullptr;
    const NextOperation next = next_operation(mode);
    if (!next.measured) {
      set_ready(next);
    } else {
      synchronize(*next.decider);
    }
    begin_flight({next.plan, next.ticket, mode, measure::Stopwatch(next.measured), next.capabilities, buffers});
  }
  const measure::Stopwatch::Lap lap(flight_.watch);
  if (!flight_.deferred()) {
    try {
      flight_.plan->start(buffers);
    } catch (...) {
      end_failed_step();
      throw;
    }
  }
}

void Request::begin_flight(const Flight& flight) {
  flight_ = flight;
  busy_ = Busy::in_flight;
}

/// Called if a step of the operation failed. Ends the operation of a user-defined codelet; the operations of other
/// codelets are completed by wait().
void Request::end_failed_step() {
  if (!parts_.set->predefined()) {
    busy_ = Busy::no;
  }
}

/// Passes the time of an operation to its decider.
void Request::complete(const Flight& flight) {
  if (flight.watch.measures()) {
    deciders_->for_mode(flight.mode).record_time(flight.ticket, flight.watch.seconds(), id_);
  }
}

void Request::require_flight() const {
  if (busy_ == Busy::in_call) {
    require_idle();
  }
  require(busy_ == Busy::in_flight, Code::state, "the request is not in flight; start it with ADCL_Request_init");
}

void Request::wait() {
  require_flight();
  require(flight_.mode != Mode::functions, Code::state,
          "ADCL_Request_start_overlap is running the request and will complete it; do not wait for the request");
  Flight flight = flight_;
  busy_ = Busy::no;
  {
    const measure::Stopwatch::Lap lap(flight.watch);
    if (flight.deferred()) {
      flight.plan->run(flight.buffers);
    } else {
      flight.plan->wait();
    }
  }
  complete(flight);
}

bool Request::test() {
  require_flight();
  if (flight_.mode == Mode::functions) {
    return flight_.plan->test();
  }
  if (flight_.deferred()) {
    wait();
    return true;
  }
  bool done = false;
  try {
    const measure::Stopwatch::Lap lap(flight_.watch);
    done = flight_.plan->test();
  } catch (...) {
    end_failed_step();
    throw;
  }
  if (done) {
    const Flight flight = flight_;
    busy_ = Busy::no;
    complete(flight);
  }
  return done;
}

void Request::progress(int depth) {
  require(depth >= 0, Code::argument, "depth is ", depth, "; the nesting level of the calling loop must be at least 0");
  if (busy_ == Busy::no || flight_.deferred() || depth < flight_.capabilities->progress_depth ||
      !parts_.set->predefined()) {
    return;
  }
  const measure::Stopwatch::Lap lap(flight_.watch);
  flight_.plan->test();
}

}  // namespace adcl::runtime
