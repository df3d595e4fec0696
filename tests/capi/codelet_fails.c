/* ranks: 1 2 3 4
 * timeout: 120
 * A codelet of the application reports failures with ADCL_Error_set on one rank. That rank's call returns the code
 * and names the codelet. All ranks drop the codelet in the same start. When the last codelet has failed, all ranks
 * return an error in the same start. */
#include "harness.h"

enum { quick, thorough, kinds, no_rank = -1, most_starts = 400 };

static const char *const names[kinds] = {"quick", "thorough"};
static int fails_on[kinds] = {no_rank, no_rank}; /* the rank on which a codelet fails */
static int runs[kinds];

static void run(int kind) {
  ++runs[kind];
  if (fails_on[kind] == harness_rank()) {
    CHECK(ADCL_Error_set(ADCL_ERR_UNSUPPORTED, "the device is full") == ADCL_ERR_UNSUPPORTED);
  }
}

static void run_quick(ADCL_Request req) {
  (void)req;
  run(quick);
}
static void run_thorough(ADCL_Request req) {
  (void)req;
  busy_wait_us(200);
  run(thorough);
}
static ADCL_Fnctset set_of(int n, int split) {
  ADCL_work_fnct_ptr *const work[kinds] = {run_quick, run_thorough};
  ADCL_Function functions[kinds];
  ADCL_Fnctset set;
  for (int i = 0; i < n; ++i) {
    OK(split ? ADCL_Function_create_async(split == 1 ? work[i] : no_work, split == 1 ? no_work : work[i],
                                          ADCL_ATTRSET_NULL, NULL, names[i], &functions[i])
             : ADCL_Function_create(work[i], ADCL_ATTRSET_NULL, NULL, names[i], &functions[i]));
  }
  OK(ADCL_Fnctset_create(n, functions, "pair", &set));
  for (int i = 0; i < n; ++i) {
    OK(ADCL_Function_free(&functions[i]));
  }
  return set;
}

static ADCL_Request request_of(int n, int split) {
  ADCL_Fnctset set = set_of(n, split);
  ADCL_Request request = ADCL_REQUEST_NULL;
  OK(ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, ADCL_TOPOLOGY_NULL, set, &request));
  OK(ADCL_Fnctset_free(&set));
  runs[quick] = runs[thorough] = 0;
  return request;
}

/* True if the value is equal on all ranks. */
static int equal_on_all_ranks(int value) {
  int range[2] = {value, -value};
  MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return range[0] == -range[1];
}

/* Starts once; checks that the same codelet ran on all ranks and that the start returned its code. */
static int start_once(ADCL_Request request) {
  const int before[kinds] = {runs[quick], runs[thorough]};
  const int code = ADCL_Request_start(request);
  const int ran = runs[quick] > before[quick] ? quick : runs[thorough] > before[thorough] ? thorough : kinds;
  CHECK(equal_on_all_ranks(ran));
  if (ran == kinds) {
    CHECK(code == ADCL_ERR_NO_CODELET);
  } else if (fails_on[ran] == harness_rank()) {
    char expected[ADCL_MAX_NAME];
    snprintf(expected, sizeof expected, "ADCL_Request_start: codelet '%s' reported: the device is full", names[ran]);
    CHECK(code == ADCL_ERR_UNSUPPORTED);
    CHECK(strcmp(ADCL_Last_error(), expected) == 0);
  } else {
    CHECK(code == ADCL_SUCCESS);
  }
  return ran;
}

/* The fastest codelet fails on one rank and does not win. */
static void failed_codelet_loses(const char *search) {
  ADCL_Request request;
  int starts = 0;
  int until_dropped;
  OK(ADCL_Option_set("ADCL_SEARCH", search));
  request = request_of(2, 0);
  fails_on[quick] = harness_size() - 1;
  while (starts < most_starts && (is_searching(request) || starts < 30)) {
    start_once(request);
    ++starts;
  }
  CHECK(starts < most_starts && equal_on_all_ranks(starts));
  CHECK(winner_is(request, "thorough"));
  until_dropped = runs[quick];
  CHECK(until_dropped > 0);
  for (int i = 0; i < 50; ++i) {
    CHECK(start_once(request) == thorough);
  }
  CHECK(runs[quick] == until_dropped);
  fails_on[quick] = no_rank;
  OK(ADCL_Request_free(&request));
}

/* Starts until no codelet is left; then all ranks return the error in the same start, and in the next start. */
static void run_until_all_failed(ADCL_Request request, int expected_codelets) {
  char place[64];
  int starts = 0;
  while (starts < most_starts && start_once(request) != kinds) {
    ++starts;
  }
  CHECK(starts < most_starts && equal_on_all_ranks(starts));
  for (int kind = 0; kind < expected_codelets; ++kind) {
    snprintf(place, sizeof place, "rank %d: codelet '%s' reported: the device is full", fails_on[kind], names[kind]);
    FAILS(ADCL_ERR_NO_CODELET, harness_size() > 1 ? place : "reported: the device is full",
          ADCL_Request_start(request));
  }
  FAILS(ADCL_ERR_NO_CODELET, "no codelet of pair is left", ADCL_Request_start(request));
}

static void all_codelets_fail(int n) {
  ADCL_Request request;
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  request = request_of(n, 0);
  fails_on[quick] = harness_size() - 1;
  fails_on[thorough] = n > 1 ? 0 : no_rank;
  run_until_all_failed(request, n);
  CHECK(n > 1 || runs[quick] < 40); /* a single codelet is checked early */
  fails_on[quick] = fails_on[thorough] = no_rank;
  OK(ADCL_Request_free(&request));
}

/* A winner that fails in production. */
static void winner_fails(const char *monitor) {
  const int watched = strcmp(monitor, "0") != 0;
  ADCL_Request request;
  int starts = 0;
  OK(ADCL_Option_set("ADCL_MONITOR", monitor));
  request = request_of(2, 0);
  while (starts < most_starts && is_searching(request)) {
    start_once(request);
    ++starts;
  }
  CHECK(winner_is(request, "quick"));
  fails_on[quick] = harness_size() - 1;
  starts = 0;
  while (starts < 60 && start_once(request) == quick) {
    ++starts;
  }
  CHECK((starts < 60) == watched);
  for (int i = 0; i < 20 && watched; ++i) {
    CHECK(start_once(request) == thorough);
  }
  CHECK(winner_is(request, watched ? "thorough" : "quick"));
  fails_on[quick] = no_rank;
  OK(ADCL_Option_set("ADCL_MONITOR", "auto"));
  OK(ADCL_Request_free(&request));
}

/* A codelet in two parts; `split` selects the part that fails. A failed init leaves nothing in flight. */
static void split_codelet_fails(int split) {
  const int victim = harness_size() - 1;
  ADCL_Request request = request_of(2, split);
  int starts = 0;
  int flag = 0;
  fails_on[quick] = victim;
  for (; starts < most_starts && !winner_is(request, "thorough"); ++starts) {
    const int before = runs[quick];
    const int code = ADCL_Request_init(request);
    const int failed_init = split == 1 && runs[quick] > before && harness_rank() == victim;
    CHECK(code == (failed_init ? ADCL_ERR_UNSUPPORTED : ADCL_SUCCESS));
    if (failed_init) {
      FAILS(ADCL_ERR_STATE, "not in flight", ADCL_Request_wait(request));
    } else {
      const int waited = starts % 2 == 0 ? ADCL_Request_wait(request) : ADCL_Request_test(request, &flag);
      CHECK(waited ==
            (split == 2 && runs[quick] > before && harness_rank() == victim ? ADCL_ERR_UNSUPPORTED : ADCL_SUCCESS));
      FAILS(ADCL_ERR_STATE, "not in flight", ADCL_Request_wait(request));
    }
  }
  CHECK(starts < most_starts && equal_on_all_ranks(starts));
  fails_on[quick] = no_rank;
  OK(ADCL_Request_free(&request));
}

/* A timer decides for two requests: neither runs the codelet once it has failed. */
static void codelet_of_timer_fails(void) {
  ADCL_Request pair[2] = {request_of(2, 0), request_of(2, 0)};
  ADCL_Timer timer;
  int state = ADCL_STATE_SEARCH;
  int turns = 0;
  OK(ADCL_Timer_create(2, pair, &timer));
  fails_on[quick] = harness_size() - 1;
  for (; turns < most_starts && state == ADCL_STATE_SEARCH; ++turns) {
    OK(ADCL_Timer_start(timer));
    start_once(pair[0]);
    start_once(pair[1]);
    OK(ADCL_Timer_stop(timer));
    OK(ADCL_Timer_get_state(timer, &state));
  }
  CHECK(turns < most_starts && equal_on_all_ranks(turns));
  for (int i = 0; i < 20; ++i) {
    OK(ADCL_Timer_start(timer));
    CHECK(start_once(pair[0]) == thorough && start_once(pair[1]) == thorough);
    OK(ADCL_Timer_stop(timer));
  }
  fails_on[quick] = no_rank;
  OK(ADCL_Timer_free(&timer));
  OK(ADCL_Request_free(&pair[0]));
  OK(ADCL_Request_free(&pair[1]));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "5"));
  failed_codelet_loses("brute_force");
  failed_codelet_loses("model");
  all_codelets_fail(2);
  all_codelets_fail(1);
  winner_fails("10");
  winner_fails("0");
  split_codelet_fails(1);
  split_codelet_fails(2);
  codelet_of_timer_fails();
  OK(ADCL_Finalize());
  return harness_verdict();
}
