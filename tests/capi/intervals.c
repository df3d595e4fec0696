/* ranks: 1 2 3 4
 * timeout: 240
 * alone
 * valgrind: 1 2
 * ADCL_TIMING=interval: if starts are regular, the time of the whole iteration decides. The test has two codelets: a
 * quick codelet that makes the remaining iteration slow, and a slow codelet that makes it quick. */
#include "harness.h"

#include <unistd.h>

enum { most = 1500, most_tries = 40 };

static int slow_after; /* extra time that the rest of the iteration takes after the last codelet, in microseconds */
static int runs_of[2];

#ifdef SMPI_H /* a call of MPI_Wtime takes 10 ns of simulated time, and much more real time */
static void pause_us(int microseconds) { usleep((useconds_t)microseconds); }
#else
static void pause_us(int microseconds) { busy_wait_us(microseconds); }
#endif

static void quick(ADCL_Request req) {
  (void)req;
  ++runs_of[0];
  slow_after = 1500; /* for example because of cold caches */
}
static void thorough(ADCL_Request req) {
  (void)req;
  ++runs_of[1];
  pause_us(60);
  slow_after = 0;
}

static ADCL_Function functions[2];
static ADCL_Fnctset set;

static ADCL_Request make(void) {
  ADCL_Request request = ADCL_REQUEST_NULL;
  OK(ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, ADCL_TOPOLOGY_NULL, set, &request));
  return request;
}

/* Iterates until the search has decided; every `each`-th pause takes `long_us`. */
static int search(ADCL_Request request, int each, int long_us) {
  int iteration = 0;
  while (iteration < most && is_searching(request)) {
    OK(ADCL_Request_start(request));
    pause_us(slow_after + (iteration % each == each - 1 ? long_us : 100));
    ++iteration;
  }
  return iteration;
}

/* True if the search used the times of operations, as it does if other programs on the cores make starts irregular.
 * No interval with the quick codelet is shorter than 1.5 ms. The same on all ranks. */
static int by_operations(ADCL_Request request) {
  double quick_s = 0.0;
  OK(ADCL_Request_get_statistics(request, 0, NULL, 0, NULL, NULL, &quick_s, NULL));
  return quick_s < 1.4e-3;
}

/* Repeats a part of the test until it succeeds. Other programs on the cores may disturb some searches; a defect makes
 * all of them fail. */
static void retry(int (*part)(void)) {
  int tries = 0;
  while (tries < most_tries && !part()) {
    ++tries;
  }
  CHECK(tries < most_tries);
}

/* The quick codelet wins by operation time, the slow codelet by interval; occasional output to a file has no effect. */
static int timing_selects_winner(void) {
  ADCL_Request request;
  int regular = 0;
  OK(ADCL_Option_set("ADCL_TIMING", "nobarrier"));
  request = make();
  search(request, 20, 5000);
  CHECK(winner_is(request, "quick"));
  OK(ADCL_Request_free(&request));
  OK(ADCL_Option_set("ADCL_TIMING", "interval"));
  request = make();
  CHECK(search(request, 20, 5000) < most);
  regular = !by_operations(request) && winner_is(request, "thorough");
  OK(ADCL_Request_free(&request));
  return regular;
}

/* Requests that share a search run the same codelet in an iteration, and are measured together. */
static int shared_search(void) {
  ADCL_Request all[3];
  int measurements = 0;
  int mixed = 0;
  int iterations = 0;
  int rest = 0;
  int regular = 0;
  for (int i = 0; i < 3; ++i) {
    all[i] = make();
  }
  for (; iterations < most && is_searching(all[0]); ++iterations) {
    const int before[2] = {runs_of[0], runs_of[1]};
    for (int i = 0; i < 3; ++i) {
      OK(ADCL_Request_start(all[i]));
    }
    mixed += runs_of[0] != before[0] && runs_of[1] != before[1];
    pause_us(slow_after + 100);
  }
  regular = !by_operations(all[0]) && mixed == 0 && winner_is(all[1], "thorough");
  OK(ADCL_Request_get_statistics(all[0], 1, NULL, 0, &measurements, NULL, NULL, NULL));
  CHECK(measurements > 0 && measurements <= iterations);
  rest = runs_of[0];
  for (int i = 0; i < 3; ++i) {
    OK(ADCL_Request_start(all[i]));
    OK(ADCL_Request_free(&all[i]));
  }
  CHECK(!regular || runs_of[0] == rest);
  return regular;
}

/* If starts are irregular on one rank, all ranks use the times of the operations. */
static void irregular_starts(void) {
  ADCL_Request request = make();
  search(request, 2, harness_rank() == 0 ? 4000 : 100);
  CHECK(winner_is(request, "quick"));
  OK(ADCL_Request_free(&request));
}

/* A measurement that ends with another request's start does not count, because it lacks the time between the starts. */
static int void_measurements(void) {
  static const int order[10] = {0, 0, 0, 0, 0, 1, 1, 1, 0, 0}; /* the second 1 and the last 0 end the other interval */
  static const int pause[10] = {1, 1, 1, 1, 0, 1, 1, 0, 1, 1}; /* one in each interval */
  ADCL_Request pair[2];
  double quick_s = 0.0;
  int iterations = 0;
  OK(ADCL_Option_set("ADCL_OUTLIERS", "none"));
  pair[0] = make();
  pair[1] = make();
  for (; iterations < most && is_searching(pair[0]); ++iterations) {
    OK(ADCL_Request_start(pair[order[iterations % 10]]));
    if (pause[iterations % 10]) {
      pause_us(slow_after + 100);
    }
  }
  CHECK(iterations < most);
  OK(ADCL_Request_get_statistics(pair[0], 0, NULL, 0, NULL, &quick_s, NULL, NULL));
  OK(ADCL_Request_free(&pair[0]));
  OK(ADCL_Request_free(&pair[1]));
  /* No valid interval with the quick codelet is shorter than 1.6 ms, but invalid intervals are. On a busy machine
   * the search may have used the times of operations. */
  return quick_s > 1.55e-3 || quick_s < 0.5e-3;
}

/* Times from the application take precedence. */
static void application_times(void) {
  ADCL_Request request = make();
  int iterations = 0;
  while (iterations < most && is_searching(request)) {
    OK(ADCL_Request_start(request));
    OK(ADCL_Request_update(request, current_is(request, "quick") ? 1e-6 : 2e-6));
    pause_us(slow_after);
    ++iterations;
  }
  CHECK(winner_is(request, "quick"));
  OK(ADCL_Request_free(&request));
}

/* A search whose request pauses in the middle continues when the starts resume. */
static int paused_request(void) {
  int regular = 0;
  ADCL_Request leader = make();
  ADCL_Request other = make();
  OK(ADCL_Request_start(leader));
  OK(ADCL_Request_start(other));
  OK(ADCL_Request_free(&leader));
  search(other, most, 100);
  regular = !by_operations(other) && winner_is(other, "thorough");
  OK(ADCL_Request_free(&other));
  return regular;
}

int main(int argc, char **argv) {
  ADCL_work_fnct_ptr *const work[2] = {quick, thorough};
  const char *const names[2] = {"quick", "thorough"};
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  for (int i = 0; i < 2; ++i) {
    OK(ADCL_Function_create(work[i], ADCL_ATTRSET_NULL, NULL, names[i], &functions[i]));
  }
  OK(ADCL_Fnctset_create(2, functions, "pair", &set));
  OK(ADCL_Fnctset_set_sharing(set, 1));
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "20"));
  OK(ADCL_Option_set("ADCL_OUTLIERS", "robust")); /* the machine may be busy with other tests */
  retry(timing_selects_winner);
  retry(shared_search);
  retry(paused_request);
  irregular_starts();
  application_times();
  retry(void_measurements);
  OK(ADCL_Fnctset_free(&set));
  for (int i = 0; i < 2; ++i) {
    OK(ADCL_Function_free(&functions[i]));
  }
  OK(ADCL_Finalize());
  return harness_verdict();
}
