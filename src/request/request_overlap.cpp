// ADCL_Request_start_overlap: communication and computation as one measured unit.
#include "core/error.hpp"
#include "request/request.hpp"

namespace adcl::runtime {

void Request::start_overlap(const std::function<void()>& mid, const std::function<void()>& end,
                            const std::function<void()>& total) {
  require_idle();
  const Turn turn = take_turn(Mode::functions);
  if (turn.measured) {
    meet(*turn.decider);
  }
  measure::Stopwatch watch(turn.measured);
  {
    const measure::Stopwatch::Lap lap(watch);
    // In flight until the last function returns: none of them may free, start, or rebind the request.
    take_off({turn.plan, turn.ticket, Mode::functions, measure::Stopwatch(), false,
              row(turn.candidate).capabilities.progress_depth, buffers_});
    try {
      overlap(turn, mid, end, total);
    } catch (...) {
      land();
      throw;
    }
    land();
    if (turn.measured) {
      meet(*turn.decider);
    }
  }
  if (turn.measured) {
    turn.decider->took(turn.ticket, watch.seconds(), id_);
  }
}

void Request::overlap(const Turn& turn, const std::function<void()>& mid, const std::function<void()>& end,
                      const std::function<void()>& total) {
  if (!row(turn.candidate).capabilities.nonblocking) {
    turn.plan->run(buffers_);
    total();
    return;
  }
  turn.plan->start(buffers_);
  try {
    mid();
  } catch (...) {
    turn.plan->wait();
    throw;
  }
  turn.plan->wait();
  end();
}

}  // namespace adcl::runtime
