// ADCL_Timer_create to ADCL_Timer_get_state.
#include <memory>
#include <utility>

#include "ADCL.h"
#include "capi/objects.hpp"
#include "mpi/agreement.hpp"

namespace adcl::capi {
namespace {

using runtime::Timer;

Timer& find_timer(ADCL_Timer timer) { return find_object(&Registry::timers, timer, "timer"); }

void add_all(Timer& timer, int n, const ADCL_Request* reqs) {
  for (int i = 0; i < n; ++i) {
    timer.add(registry().requests.get(reqs[i], text("request ", i, " of reqs").c_str()));
  }
}

/// Returns a context in which the ranks can agree whether all of them have valid requests; null if this rank has no
/// valid request.
std::shared_ptr<mpi::Context> context_of(int n, const ADCL_Request* reqs) {
  for (int i = 0; reqs != nullptr && i < n; ++i) {
    const auto* request = registry().requests.find(reqs[i]);
    if (request != nullptr) {
      return request->shared_context();
    }
  }
  return nullptr;
}

}  // namespace
}  // namespace adcl::capi

using namespace adcl;
using namespace adcl::capi;

extern "C" {

int ADCL_Timer_create(int n, const ADCL_Request* reqs, ADCL_Timer* timer) {
  return guard_initialized(__func__, [&] {
    const auto made = Timer::make();
    const auto check = [&] {
      require_pointer(timer, "timer");
      require(n >= 0, Code::argument, "n is ", n, "; the number of requests must be at least 0");
      if (n > 0) {
        require_pointer(reqs, "reqs");
      }
      add_all(*made, n, reqs);
    };
    const auto context = context_of(n, reqs);
    if (context != nullptr) {
      adcl::mpi::run_collectively(context->comm(), check);
      made->commit(registry().settings());
    } else {
      check();
    }
    *timer = registry().timers.insert(made);
  });
}

int ADCL_Timer_free(ADCL_Timer* timer) {
  return free_object(__func__, &Registry::timers, timer, "timer", [](Timer& object) { object.release(); });
}

int ADCL_Timer_add_request(ADCL_Timer timer, ADCL_Request req) {
  return guard(__func__, [&] { find_timer(timer).add(registry().requests.get(req, "req")); });
}

int ADCL_Timer_remove_request(ADCL_Timer timer, ADCL_Request req) {
  return guard(__func__, [&] { find_timer(timer).remove(registry().requests.get(req, "req").get()); });
}

int ADCL_Timer_commit(ADCL_Timer timer) {
  return guard(__func__, [&] { find_timer(timer).commit(registry().settings()); });
}

int ADCL_Timer_start(ADCL_Timer timer) {
  return guard(__func__, [&] { find_timer(timer).start(); });
}

int ADCL_Timer_stop(ADCL_Timer timer) {
  return guard(__func__, [&] { find_timer(timer).stop(); });
}

int ADCL_Timer_get_state(ADCL_Timer timer, int* state) {
  return guard(__func__, [&] {
    store(state, "state", find_timer(timer).has_winner() ? ADCL_STATE_PRODUCTION : ADCL_STATE_SEARCH);
  });
}

}  // extern "C"
