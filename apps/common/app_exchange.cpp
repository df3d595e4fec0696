/// The exchanges of app.h: one operation for all fields or one for each field, by ADCL or by the program's own
/// messages.
#include <mpi.h>

#include <cstdlib>
#include <exception>
#include <iostream>

#include "common/adcl_requests.hpp"
#include "common/app_state.hpp"

/// An exchange owns its ADCL requests; without requests it uses the program's functions.
struct AppExchange {
  int fields = 0;
  bool joined = false;
  int overlap = APP_OVERLAP_NONE;
  std::vector<ADCL_Request> requests;
  AppMessages* begin = nullptr;
  AppMessages* end = nullptr;
  void* messages = nullptr;

  // Valid during app_exchange_run:
  AppWork* work = nullptr;
  void* context = nullptr;
  int first = 0;
  int last = 0;
  double working_s = 0.0;  ///< time in work functions that ADCL calls
  ADCL_Request in_flight = ADCL_REQUEST_NULL;

  ADCL_Timer timer = ADCL_TIMER_NULL;  ///< times the interval between runs; null: single exchanges are timed
  bool timing = false;

  bool searching = false;
  apps::ExchangeCost cost;
};

namespace {

using apps::check;

/// Exceptions must not propagate into C programs.
template <typename Function>
void guarded(Function function) {
  try {
    function();
  } catch (const std::exception& error) {
    app_fail(error.what());
  }
}

void work_for(ADCL_Request request, int part) {
  void* context = nullptr;
  check(ADCL_Request_get_context(request, &context));
  auto& exchange = *static_cast<AppExchange*>(context);
  const double begun = MPI_Wtime();
  exchange.work(exchange.context, part, exchange.first, exchange.last);
  exchange.working_s += MPI_Wtime() - begun;
}

void work_inside(ADCL_Request request) { work_for(request, APP_INSIDE); }
void work_boundary(ADCL_Request request) { work_for(request, APP_BOUNDARY); }
void work_all(ADCL_Request request) { work_for(request, APP_ALL); }

void begin(AppExchange& exchange, ADCL_Request request) {
  if (request == ADCL_REQUEST_NULL) {
    exchange.begin(exchange.messages, exchange.first, exchange.last);
  } else if (exchange.overlap == APP_OVERLAP_INIT) {
    check(ADCL_Request_init(request));
    exchange.in_flight = request;
  } else {
    check(ADCL_Request_start(request));
  }
}

void end(AppExchange& exchange, ADCL_Request request) {
  exchange.in_flight = ADCL_REQUEST_NULL;
  if (request == ADCL_REQUEST_NULL && exchange.end == nullptr) {
    return;
  }
  if (request == ADCL_REQUEST_NULL) {
    exchange.end(exchange.messages, exchange.first, exchange.last);
  } else if (exchange.overlap == APP_OVERLAP_INIT) {
    check(ADCL_Request_wait(request));
  }
}

/// Runs one operation with the work on its fields; returns the seconds without the work.
double operate(AppExchange& exchange, ADCL_Request request) {
  const double begun = MPI_Wtime();
  if (request != ADCL_REQUEST_NULL && exchange.overlap == APP_OVERLAP_START) {
    exchange.working_s = 0.0;
    exchange.in_flight = request;
    check(ADCL_Request_start_overlap(request, work_inside, work_boundary, work_all));
    exchange.in_flight = ADCL_REQUEST_NULL;
    return MPI_Wtime() - begun - exchange.working_s;
  }
  begin(exchange, request);
  if (exchange.overlap == APP_OVERLAP_NONE) {
    end(exchange, request);
    const double seconds = MPI_Wtime() - begun;
    if (exchange.work != nullptr) {
      exchange.work(exchange.context, APP_ALL, exchange.first, exchange.last);
    }
    return seconds;
  }
  const double started = MPI_Wtime();
  exchange.work(exchange.context, APP_INSIDE, exchange.first, exchange.last);
  const double waited = MPI_Wtime();
  end(exchange, request);
  const double seconds = (started - begun) + (MPI_Wtime() - waited);
  exchange.work(exchange.context, APP_BOUNDARY, exchange.first, exchange.last);
  return seconds;
}

void time_next(AppExchange& exchange) {
  if (exchange.timing) {
    check(ADCL_Timer_stop(exchange.timer));
  }
  check(ADCL_Timer_start(exchange.timer));
  exchange.timing = true;
}

void run(AppExchange& exchange) {
  if (exchange.timer != ADCL_TIMER_NULL) {
    time_next(exchange);
  }
  double seconds = 0.0;
  const int operations = exchange.joined ? 1 : exchange.fields;
  for (int i = 0; i < operations; ++i) {
    exchange.first = exchange.joined ? 0 : i;
    exchange.last = exchange.joined ? exchange.fields : i + 1;
    seconds += operate(exchange,
                       exchange.requests.empty() ? ADCL_REQUEST_NULL : exchange.requests[static_cast<std::size_t>(i)]);
  }
  ++exchange.cost.exchanges;
  exchange.cost.seconds += seconds;
  if (exchange.searching) [[unlikely]] {
    ++exchange.cost.searching_exchanges;
    exchange.cost.searching_seconds += seconds;
    exchange.searching = apps::is_searching(exchange.requests.back());
  }
}

}  // namespace

namespace apps {

ExchangeCost cost_of(const AppExchange& exchange) { return exchange.cost; }

std::unique_ptr<Tuning> tuning_of(const AppExchange& exchange) {
  return exchange.requests.empty() ? nullptr : std::make_unique<Tuning>(tuning_of(exchange.requests));
}

}  // namespace apps

AppExchange* app_exchange_adcl(int fields, int n, const ADCL_Request* requests, int overlap) {
  auto exchange = std::make_unique<AppExchange>();
  exchange->fields = fields;
  exchange->joined = n == 1;
  exchange->overlap = overlap;
  exchange->requests.assign(requests, requests + n);
  exchange->searching = true;
  guarded([&] {
    for (ADCL_Request request : exchange->requests) {
      check(ADCL_Request_set_context(request, exchange.get()));
    }
    if (apps::app_state().timer) {
      check(ADCL_Timer_create(n, exchange->requests.data(), &exchange->timer));
    }
  });
  return exchange.release();
}

AppExchange* app_exchange_plain(int fields, int joined, AppMessages* begin, AppMessages* end, void* context,
                                int overlap) {
  auto exchange = std::make_unique<AppExchange>();
  exchange->fields = fields;
  exchange->joined = joined != 0;
  exchange->overlap = overlap;
  exchange->begin = begin;
  exchange->end = end;
  exchange->messages = context;
  return exchange.release();
}

void app_exchange_run(AppExchange* exchange, AppWork* work, void* context) {
  exchange->work = work;
  exchange->context = context;
  guarded([&] { run(*exchange); });
}

void app_exchange_progress(AppExchange* exchange, int depth) {
  if (exchange->in_flight != ADCL_REQUEST_NULL) {
    guarded([&] { check(ADCL_Request_progress(exchange->in_flight, depth)); });
  }
}

void app_exchange_free(AppExchange* exchange) {
  const std::unique_ptr<AppExchange> owned(exchange);
  if (owned) {
    if (owned->timing) {
      guarded([&] { check(ADCL_Timer_stop(owned->timer)); });
    }
    if (owned->timer != ADCL_TIMER_NULL) {
      guarded([&] { check(ADCL_Timer_free(&owned->timer)); });
    }
    for (ADCL_Request& request : owned->requests) {
      guarded([&] { check(ADCL_Request_free(&request)); });
    }
  }
}

void app_check(int code) {
  guarded([code] { check(code); });
}

void app_fail(const char* message) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::cerr << std::string(apps::app_state().name) + ": rank " + std::to_string(rank) + ": " + message + "\n"
            << std::flush;
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  std::abort();
}
