/* ranks: 1 2 3
 * timeout: 120
 * ADCL_TIMING=interval: production becomes slower, so the search is reopened. Starts become irregular during this
 * search, so it uses the times of operations from then on. It ends with the winner by operation times, and earlier
 * intervals are discarded. */
#include "harness.h"

enum { most = 1500 };

/* The codelet with the longer operation. */
static void first(ADCL_Request req) {
  (void)req;
  busy_wait_us(300);
}
static void second(ADCL_Request req) { (void)req; }

static ADCL_Request request;

/* A start with a time that the test sets. */
static void start_with_time(double first_s, double second_s) {
  OK(ADCL_Request_start(request));
  OK(ADCL_Request_update(request, current_is(request, "first") ? first_s : second_s));
}

/* Starts until the request is in this state. */
static int run_until_state(int state, double first_s, double second_s) {
  int starts = 0;
  while (starts < most && state_of(request) != state) {
    start_with_time(first_s, second_s);
    ++starts;
  }
  CHECK(starts < most);
  return starts;
}

/* Enough checks of production to know the usual time of a start. */
static void production_checks(double seconds) {
  for (int i = 0; i < 80; ++i) {
    start_with_time(seconds, seconds);
  }
  CHECK(state_of(request) == ADCL_STATE_PRODUCTION);
}

/* Starts with long and short pauses between them, until the decision. */
static void irregular_starts(void) {
  int starts = 0;
  while (starts < most && is_searching(request)) {
    OK(ADCL_Request_start(request));
    busy_wait_us(starts % 2 == 0 ? 3000 : 100);
    ++starts;
  }
  CHECK(starts < most);
}

int main(int argc, char **argv) {
  ADCL_Function functions[2];
  ADCL_Fnctset set;
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  OK(ADCL_Function_create(first, ADCL_ATTRSET_NULL, NULL, "first", &functions[0]));
  OK(ADCL_Function_create(second, ADCL_ATTRSET_NULL, NULL, "second", &functions[1]));
  OK(ADCL_Fnctset_create(2, functions, "pair", &set));
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "20"));
  OK(ADCL_Option_set("ADCL_MONITOR", "1"));
  OK(ADCL_Option_set("ADCL_TIMING", "interval"));
  OK(ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, ADCL_TOPOLOGY_NULL, set, &request));
  run_until_state(ADCL_STATE_PRODUCTION, 0.1, 0.2);
  CHECK(winner_is(request, "first"));
  production_checks(0.1);
  run_until_state(ADCL_STATE_SEARCH, 0.3, 0.3);
  for (int i = 0; i < 12; ++i) {
    start_with_time(0.3, 0.3); /* the winner has not kept its time: both are measured again */
  }
  CHECK(is_searching(request));
  irregular_starts();
  CHECK(winner_is(request, "second"));
  /* Faster again, but not as fast as the earlier intervals: the times 0.1 s and 0.2 s are not used as a prior. */
  production_checks(0.01);
  run_until_state(ADCL_STATE_SEARCH, 0.001, 0.001);
  run_until_state(ADCL_STATE_PRODUCTION, 0.1, 0.001);
  CHECK(winner_is(request, "second"));
  OK(ADCL_Request_free(&request));
  OK(ADCL_Fnctset_free(&set));
  OK(ADCL_Function_free(&functions[0]));
  OK(ADCL_Function_free(&functions[1]));
  OK(ADCL_Finalize());
  return harness_verdict();
}
