// ADCL_Request_start_overlap: communication and computation as one measured unit.
#include "core/error.hpp"
#include "runtime/request.hpp"

namespace adcl::runtime {

void Request::start_overlap(const std::function<void()>& mid, const std::function<void()>& end,
                            const std::function<void()>& total) {
  require_idle();
  const Acquired acquired = acquire(Mode::functions);
  if (acquired.measured) {
    barrier(*acquired.emethod);
  }
  const double begin = acquired.measured ? MPI_Wtime() : 0.0;
  // In flight until the last function has returned: none of them may free, start or rebind the request.
  take_off({acquired.plan, acquired.ticket, Mode::functions, 0.0, false, false,
            row(acquired.index).capabilities.progress_depth});
  try {
    overlap(acquired, mid, end, total);
  } catch (...) {
    land();
    throw;
  }
  land();
  if (acquired.measured) {
    barrier(*acquired.emethod);
    acquired.emethod->record(acquired.ticket, MPI_Wtime() - begin, id_);
  }
}

void Request::overlap(const Acquired& acquired, const std::function<void()>& mid, const std::function<void()>& end,
                      const std::function<void()>& total) {
  if (!row(acquired.index).capabilities.nonblocking) {
    acquired.plan->run(buffers_);
    total();
    return;
  }
  acquired.plan->start(buffers_);
  try {
    mid();
  } catch (...) {
    acquired.plan->wait();
    throw;
  }
  acquired.plan->wait();
  end();
}

}  // namespace adcl::runtime
