// An operation in flight: from ADCL_Request_init to ADCL_Request_wait.
#include <utility>

#include "core/error.hpp"
#include "request/request.hpp"

namespace adcl::runtime {

void Request::init_in(Mode mode, Buffers buffers) {
  require_idle();
  Ready& ready = ready_.at(static_cast<std::size_t>(mode));
  if (ready.plan != nullptr && --ready.licence->left >= 0) {
    last_ = {mode, ready.candidate};
    take_off({ready.plan, {0, -1, 0}, mode, measure::Stopwatch(), ready.deferred, ready.progress_depth, buffers});
  } else {
    ready.plan = nullptr;
    const Turn turn = take_turn(mode);
    const Capabilities& capabilities = row(turn.candidate).capabilities;
    if (!turn.measured) {
      make_ready(turn);
    } else {
      meet(*turn.decider);
    }
    take_off({turn.plan, turn.ticket, mode, measure::Stopwatch(turn.measured), !capabilities.nonblocking,
              capabilities.progress_depth, buffers});
  }
  const measure::Stopwatch::Lap lap(flight_.watch);
  if (!flight_.deferred) {
    try {
      flight_.plan->start(buffers);
    } catch (...) {
      give_up();
      throw;
    }
  }
}

/// A step of the operation has failed. An operation of a user-defined codelet is over; wait() completes others.
void Request::give_up() {
  if (!parts_.set->predefined()) {
    land();
  }
}

void Request::take_off(const Flight& flight) {
  flight_ = flight;
  parked_ = std::exchange(ready_.front().plan, nullptr);
}

/// The operation is complete, or has failed and cannot be completed.
void Request::land() {
  flight_.plan = nullptr;
  ready_.front().plan = std::exchange(parked_, nullptr);
}

void Request::tell(const Flight& flight) {
  if (flight.watch.measures()) {
    deciders_->in(flight.mode).took(flight.ticket, flight.watch.seconds(), id_);
  }
}

void Request::wait() {
  require_no_call();
  require(flight_.plan != nullptr, Code::state, "the request is not in flight; start it with ADCL_Request_init");
  require(flight_.mode != Mode::functions, Code::state,
          "the request runs in ADCL_Request_start_overlap, which waits for it itself");
  Flight flight = flight_;
  land();
  {
    const measure::Stopwatch::Lap lap(flight.watch);
    if (flight.deferred) {
      flight.plan->run(flight.buffers);
    } else {
      flight.plan->wait();
    }
  }
  tell(flight);
}

bool Request::test() {
  require_no_call();
  require(flight_.plan != nullptr, Code::state, "the request is not in flight; start it with ADCL_Request_init");
  if (flight_.deferred) {
    wait();
    return true;
  }
  if (flight_.mode == Mode::functions) {
    return flight_.plan->test();
  }
  bool done = false;
  try {
    const measure::Stopwatch::Lap lap(flight_.watch);
    done = flight_.plan->test();
  } catch (...) {
    give_up();
    throw;
  }
  if (done) {
    const Flight flight = flight_;
    land();
    tell(flight);
  }
  return done;
}

void Request::progress(int depth) {
  require(depth >= 0, Code::argument, "depth is ", depth, "; it is the nesting level of the calling loop, from 0");
  if (flight_.plan == nullptr || flight_.deferred || depth < flight_.progress_depth || !parts_.set->predefined()) {
    return;
  }
  const measure::Stopwatch::Lap lap(flight_.watch);
  flight_.plan->test();
}

}  // namespace adcl::runtime
