/* ranks: 1 2 3 4
 * timeout: 240
 * ADCL_MONITOR: the library measures production periodically. If production becomes slower, even on one rank, the
 * library reopens the search. The test sets the times. */
#include "harness.h"

enum { side = 8, interval = 10, check = 6 /* starts: five are timed, one posts the result */ };

static double data[2][side * side];
static const int dims[2] = {side, side};
static MPI_Comm cart;

static ADCL_Request halo(int array) {
  ADCL_Request request = ADCL_REQUEST_NULL;
  OK(ADCL_Halo_init(ADCL_HALO(data[array], 2, dims, 0, 1, MPI_DOUBLE), cart, &request));
  return request;
}

/* One operation with a time that the test sets. */
static void run(ADCL_Request request, int split, double aao_s, double pack_s) {
  if (split) {
    OK(ADCL_Request_init(request));
    OK(ADCL_Request_wait(request));
  } else {
    OK(ADCL_Request_start(request));
  }
  OK(ADCL_Request_update(request, current_is(request, "IsIr_aao_pack") ? pack_s : aao_s));
}

/* Starts until the request is in this state, at most `most` times. */
static int run_until_state(ADCL_Request request, int state, int split, double aao_s, double pack_s, int most) {
  int starts = 0;
  while (starts < most && state_of(request) != state) {
    run(request, split, aao_s, pack_s);
    ++starts;
  }
  return starts;
}

static void detects_drift(int split) {
  const int last = harness_rank() == harness_size() - 1;
  const int cycle = interval + check;
  ADCL_Request request = halo(0);
  int starts;
  run_until_state(request, ADCL_STATE_PRODUCTION, split, 0.4, 0.2, 100);
  CHECK(winner_is(request, "IsIr_aao_pack"));
  /* The usual time, with noise. */
  for (int i = 0; i < 20 * cycle; ++i) {
    run(request, split, 0.4, 0.2 + 0.01 * (i % 3));
  }
  CHECK(state_of(request) == ADCL_STATE_PRODUCTION);
  /* An increase of 10 % is no drift. */
  CHECK(run_until_state(request, ADCL_STATE_SEARCH, split, 0.4, 0.22, 20 * cycle) == 20 * cycle);
  /* One rank takes three times as long: three checks detect it, the start of the fourth reopens the search. */
  starts = run_until_state(request, ADCL_STATE_SEARCH, split, 0.4, last ? 0.6 : 0.2, 20 * cycle);
  CHECK(starts > 2 * cycle && starts <= 5 * cycle);
  run_until_state(request, ADCL_STATE_PRODUCTION, split, 0.4, last ? 0.6 : 0.2, 100);
  CHECK(winner_is(request, "IsIr_aao"));
  /* The monitor learns the new usual time. */
  CHECK(run_until_state(request, ADCL_STATE_SEARCH, split, 0.4, 0.1, 20 * cycle) == 20 * cycle);
  /* A decrease is also a drift. If it ends a disturbance, the former winner is back after ten starts; the first of them
   * is the start that reopened the search. */
  CHECK(run_until_state(request, ADCL_STATE_SEARCH, split, 0.25, 0.2, 20 * cycle) <= 5 * cycle);
  CHECK(run_until_state(request, ADCL_STATE_PRODUCTION, split, 0.25, 0.2, 20) == 9);
  CHECK(winner_is(request, "IsIr_aao_pack"));
  CHECK(run_until_state(request, ADCL_STATE_SEARCH, split, 0.25, 0.2, 20 * cycle) == 20 * cycle);
  /* If all candidates are faster than ever before, no earlier time is used. */
  CHECK(run_until_state(request, ADCL_STATE_SEARCH, split, 0.05, 0.1, 20 * cycle) <= 5 * cycle);
  CHECK(run_until_state(request, ADCL_STATE_PRODUCTION, split, 0.05, 0.1, 100) > 9);
  CHECK(winner_is(request, "IsIr_aao"));
  OK(ADCL_Request_free(&request));
}

/* Two requests of one search are monitored together, in any order of starts. */
static void shared_search(void) {
  ADCL_Request first = halo(0);
  ADCL_Request second = halo(1);
  run_until_state(first, ADCL_STATE_PRODUCTION, 0, 0.4, 0.2, 100);
  for (int i = 0; i < 600; ++i) {
    run(i % 3 == 0 ? second : first, 0, 0.4, 0.2);
  }
  CHECK(state_of(second) == ADCL_STATE_PRODUCTION);
  for (int i = 0; i < 200 && state_of(first) == ADCL_STATE_PRODUCTION; ++i) {
    run(i % 5 == 0 ? first : second, 0, 0.4, 0.9);
  }
  CHECK(is_searching(first) && is_searching(second));
  run_until_state(second, ADCL_STATE_PRODUCTION, 0, 0.4, 0.9, 100);
  run(first, 0, 0.4, 0.9);
  CHECK(current_is(first, "IsIr_aao"));
  OK(ADCL_Request_free(&first));
  OK(ADCL_Request_free(&second));
}

/* The machine is slower until the reopened search measures its last candidate. */
static void disturbance_ends_early(int for_one_only) {
  ADCL_Request request = halo(0);
  double aao_s = 0.8;
  run_until_state(request, ADCL_STATE_PRODUCTION, 0, 0.2, 0.4, 100);
  CHECK(run_until_state(request, ADCL_STATE_SEARCH, 0, 0.2, 0.4, 200) == 200);
  run_until_state(request, ADCL_STATE_SEARCH, 0, aao_s, 1.6, 200);
  for (int i = 0; i < 100 && is_searching(request); ++i) {
    run(request, 0, aao_s, 0.4);
    if (!for_one_only && current_is(request, "IsIr_aao_pack")) {
      aao_s = 0.2;
    }
  }
  CHECK(state_of(request) == ADCL_STATE_PRODUCTION);
  CHECK(winner_is(request, for_one_only ? "IsIr_aao_pack" : "IsIr_aao"));
  OK(ADCL_Request_free(&request));
}

static void monitor_off(void) {
  ADCL_Request request;
  OK(ADCL_Option_set("ADCL_MONITOR", "0"));
  request = halo(0);
  run_until_state(request, ADCL_STATE_PRODUCTION, 0, 0.4, 0.2, 100);
  CHECK(run_until_state(request, ADCL_STATE_SEARCH, 0, 0.4, 9.0, 1000) == 1000);
  OK(ADCL_Request_free(&request));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  cart = harness_cart(2, 1);
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao,IsIr_aao_pack"));
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_MONITOR", "10"));
  detects_drift(0);
  detects_drift(1);
  shared_search();
  disturbance_ends_early(0);
  disturbance_ends_early(1);
  monitor_off();
  MPI_Comm_free(&cart);
  OK(ADCL_Finalize());
  return harness_verdict();
}
