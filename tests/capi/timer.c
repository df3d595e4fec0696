/* ranks: 1 2 3 4
 * timeout: 240
 * valgrind: 1 2
 * A timer decides for several requests by the time between its start and stop: the best combination does not consist
 * of the best single codelets. The test sets codelets and times, except in one case. */
#include "timed_sets.h"

/* Only the last rank has the time of the combination. */
static void iterate(ADCL_Timer timer, ADCL_Request halo, ADCL_Request sum) {
  OK(ADCL_Timer_start(timer));
  OK(ADCL_Request_start(halo));
  OK(ADCL_Request_start(sum));
  OK(ADCL_Timer_stop(timer));
  OK(ADCL_Request_update(sum, harness_rank() == harness_size() - 1 ? together[ran[0]][ran[1]] : 1e-6));
}

static int search(ADCL_Timer timer, ADCL_Request halo, ADCL_Request sum) {
  int iterations = 0;
  while (timer_state(timer) == ADCL_STATE_SEARCH && iterations < most) {
    iterate(timer, halo, sum);
    ++iterations;
  }
  return iterations;
}

static void all_combinations(void) {
  ADCL_Request both[2];
  ADCL_Timer timer = ADCL_TIMER_NULL;
  int measurements = 0;
  double mean_s = 0.0;
  both[0] = request_of(0);
  both[1] = request_of(1);
  OK(ADCL_Timer_create(2, both, &timer));
  CHECK(search(timer, both[0], both[1]) > 9 * 4);
  CHECK(winner_is(both[0], "b") && winner_is(both[1], "c"));
  iterate(timer, both[0], both[1]);
  CHECK(ran[0] == 1 && ran[1] == 2);
  CHECK(state_of(both[0]) == ADCL_STATE_PRODUCTION);
  OK(ADCL_Request_get_statistics(both[0], 1, NULL, 0, &measurements, &mean_s, NULL, NULL));
  CHECK(measurements == 6 && mean_s == 1e-4);
  /* The winners stay after the timer is freed. */
  OK(ADCL_Timer_free(&timer));
  CHECK(timer == ADCL_TIMER_NULL);
  ran[0] = ran[1] = -1;
  OK(ADCL_Request_start(both[0]));
  OK(ADCL_Request_start(both[1]));
  CHECK(ran[0] == 1 && ran[1] == 2);
  OK(ADCL_Request_free(&both[0]));
  OK(ADCL_Request_free(&both[1]));
}

/* Varies one coordinate at a time: (b, c) cannot be reached from (a, a) if only one function changes. */
static void one_coordinate_at_a_time(void) {
  ADCL_Request both[2];
  ADCL_Timer timer = ADCL_TIMER_NULL;
  OK(ADCL_Option_set("ADCL_TIMER_COMBINATIONS", "8"));
  both[0] = request_of(0);
  both[1] = request_of(1);
  OK(ADCL_Timer_create(2, both, &timer));
  CHECK(search(timer, both[0], both[1]) > 2 * 3 * 4);
  CHECK(winner_is(both[0], "a") && winner_is(both[1], "a"));
  OK(ADCL_Timer_free(&timer));
  OK(ADCL_Request_free(&both[0]));
  OK(ADCL_Request_free(&both[1]));
  OK(ADCL_Option_set("ADCL_TIMER_COMBINATIONS", "64"));
}

/* Several iterations are one measurement; the number of iterations stays the same. */
static void timer_interval(void) {
  ADCL_Request both[2];
  ADCL_Timer timer = ADCL_TIMER_NULL;
  int measurements = 0;
  OK(ADCL_Option_set("ADCL_TIMER_INTERVAL", "3"));
  both[0] = request_of(0);
  both[1] = request_of(1);
  OK(ADCL_Timer_create(2, both, &timer));
  search(timer, both[0], both[1]);
  CHECK(winner_is(both[0], "b") && winner_is(both[1], "c"));
  OK(ADCL_Request_get_statistics(both[0], 2, NULL, 0, &measurements, NULL, NULL, NULL));
  CHECK(measurements == 2); /* six divided by three */
  OK(ADCL_Option_set("ADCL_TIMER_INTERVAL", "1"));
  OK(ADCL_Timer_free(&timer));
  OK(ADCL_Request_free(&both[0]));
  OK(ADCL_Request_free(&both[1]));
}

/* Without times from the test, the time between start and stop on the slowest rank decides. */
static void measured_times(void) {
  ADCL_Request request = request_of(0);
  ADCL_Timer timer = ADCL_TIMER_NULL;
  double mean_s = 0.0;
  OK(ADCL_Timer_create(1, &request, &timer));
  for (int i = 0; i < most && timer_state(timer) == ADCL_STATE_SEARCH; ++i) {
    OK(ADCL_Timer_start(timer));
    OK(ADCL_Request_start(request));
    if (ran[0] == 1 && harness_rank() == harness_size() - 1) {
      const double end = MPI_Wtime() + 0.01;
      while (MPI_Wtime() < end) {
      }
    }
    OK(ADCL_Timer_stop(timer));
  }
  CHECK(timer_state(timer) == ADCL_STATE_PRODUCTION);
  OK(ADCL_Request_get_statistics(request, 1, NULL, 0, NULL, &mean_s, NULL, NULL));
  CHECK(mean_s >= 0.01);
  OK(ADCL_Timer_free(&timer));
  OK(ADCL_Request_free(&request));
}

/* Requests are added and removed; removed requests decide for themselves. */
static void add_and_remove(void) {
  ADCL_Request both[2];
  ADCL_Timer timer = ADCL_TIMER_NULL;
  both[0] = request_of(0);
  both[1] = request_of(1);
  OK(ADCL_Timer_create(0, NULL, &timer));
  FAILS(ADCL_ERR_STATE, "ADCL_Timer_commit", ADCL_Timer_start(timer));
  FAILS(ADCL_ERR_STATE, "ADCL_Timer_add_request", ADCL_Timer_commit(timer));
  OK(ADCL_Timer_add_request(timer, both[0]));
  FAILS(ADCL_ERR_ARGUMENT, "already in the timer", ADCL_Timer_add_request(timer, both[0]));
  FAILS(ADCL_ERR_ARGUMENT, "not in the timer", ADCL_Timer_remove_request(timer, both[1]));
  OK(ADCL_Timer_add_request(timer, both[1]));
  OK(ADCL_Timer_commit(timer));
  iterate(timer, both[0], both[1]);
  iterate(timer, both[0], both[1]);
  OK(ADCL_Timer_remove_request(timer, both[1]));
  OK(ADCL_Timer_commit(timer));
  for (int i = 0; i < most && timer_state(timer) == ADCL_STATE_SEARCH; ++i) {
    OK(ADCL_Timer_start(timer));
    OK(ADCL_Request_start(both[0]));
    OK(ADCL_Timer_stop(timer));
    OK(ADCL_Request_update(both[0], ran[0] == 2 ? 1e-4 : 3e-3));
  }
  CHECK(winner_is(both[0], "c"));
  OK(ADCL_Timer_free(&timer));
  for (int i = 0; i < 200; ++i) {
    OK(ADCL_Request_start(both[1]));
    if (ran[1] != 1) {
      OK(ADCL_Request_update(both[1], 3.0));
    } else {
      OK(ADCL_Request_update(both[1], 1.0));
    }
  }
  CHECK(state_of(both[1]) == ADCL_STATE_PRODUCTION && winner_is(both[1], "b"));
  OK(ADCL_Request_free(&both[0]));
  OK(ADCL_Request_free(&both[1]));
}

/* A request may be freed before its timer. ADCL_Request_verify begins the search again. */
static void freed_and_verified(void) {
  ADCL_Request both[2];
  ADCL_Timer timer = ADCL_TIMER_NULL;
  both[0] = request_of(0);
  both[1] = request_of(1);
  OK(ADCL_Timer_create(2, both, &timer));
  search(timer, both[0], both[1]);
  OK(ADCL_Request_verify(both[1]));
  CHECK(timer_state(timer) == ADCL_STATE_SEARCH);
  CHECK(search(timer, both[0], both[1]) == 10);
  CHECK(winner_is(both[0], "b") && winner_is(both[1], "c"));
  OK(ADCL_Request_free(&both[0]));
  OK(ADCL_Request_free(&both[1]));
  OK(ADCL_Timer_free(&timer));
}

/* Production is monitored: the timed part takes three times as long, and the timer finds another combination. */
static void monitored(void) {
  ADCL_Request request = request_of(0);
  ADCL_Timer timer = ADCL_TIMER_NULL;
  double b_s = 1e-3;
  int iterations = 0;
  OK(ADCL_Option_set("ADCL_MONITOR", "10"));
  OK(ADCL_Timer_create(1, &request, &timer));
  for (int i = 0; i < 400; ++i) {
    OK(ADCL_Timer_start(timer));
    OK(ADCL_Request_start(request));
    OK(ADCL_Timer_stop(timer));
    OK(ADCL_Request_update(request, ran[0] == 1 ? b_s : 2e-3));
    if (i == 150) {
      CHECK(winner_is(request, "b"));
      b_s = 3e-3;
    }
    iterations += i > 150 && timer_state(timer) == ADCL_STATE_SEARCH;
  }
  CHECK(iterations > 0 && iterations < 100);
  CHECK(timer_state(timer) == ADCL_STATE_PRODUCTION && !winner_is(request, "b"));
  OK(ADCL_Option_set("ADCL_MONITOR", "0"));
  OK(ADCL_Timer_free(&timer));
  OK(ADCL_Request_free(&request));
}

static void wrong_arguments(void) {
  ADCL_Request request = request_of(0);
  ADCL_Request freed = request_of(0);
  ADCL_Request twice[2];
  ADCL_Timer timer = ADCL_TIMER_NULL;
  ADCL_Timer other = ADCL_TIMER_NULL;
  twice[0] = twice[1] = request;
  FAILS(ADCL_ERR_ARGUMENT, "n is -1", ADCL_Timer_create(-1, &request, &timer));
  FAILS(ADCL_ERR_ARGUMENT, "reqs is a null pointer", ADCL_Timer_create(1, NULL, &timer));
  FAILS(ADCL_ERR_ARGUMENT, "timer is a null pointer", ADCL_Timer_create(1, &request, NULL));
  FAILS(ADCL_ERR_ARGUMENT, "already in the timer", ADCL_Timer_create(2, twice, &timer));
  FAILS(ADCL_ERR_HANDLE, "null ADCL_Timer", ADCL_Timer_start(timer));
  FAILS(ADCL_ERR_HANDLE, "null ADCL_Timer", ADCL_Timer_free(&timer));
  /* A freed request on one rank is an error on all ranks. */
  twice[1] = freed;
  if (harness_rank() == 0) {
    ADCL_Request copy = freed;
    OK(ADCL_Request_free(&freed));
    twice[1] = copy;
  }
  CHECK(ADCL_Timer_create(2, twice, &timer) == ADCL_ERR_HANDLE);
  if (harness_rank() != 0) {
    OK(ADCL_Request_free(&freed));
  }
  OK(ADCL_Timer_create(1, &request, &timer));
  FAILS(ADCL_ERR_STATE, "belongs to another timer", ADCL_Timer_create(1, &request, &other));
  FAILS(ADCL_ERR_STATE, "not running", ADCL_Timer_stop(timer));
  OK(ADCL_Timer_start(timer));
  FAILS(ADCL_ERR_STATE, "is running", ADCL_Timer_start(timer));
  FAILS(ADCL_ERR_STATE, "is running", ADCL_Timer_free(&timer));
  FAILS(ADCL_ERR_STATE, "is running", ADCL_Timer_add_request(timer, request));
  FAILS(ADCL_ERR_STATE, "is running", ADCL_Finalize());
  OK(ADCL_Timer_stop(timer));
  OK(ADCL_Timer_free(&timer));
  FAILS(ADCL_ERR_HANDLE, "null ADCL_Timer", ADCL_Timer_stop(timer));
  OK(ADCL_Request_free(&request));
}

/* A halo exchange of the library, by start and by init and wait: two modes, tuned together. */
static void halo_in_two_modes(void) {
  enum { side = 8 };
  static double data[side * side];
  static const int dims[2] = {side, side};
  MPI_Comm cart = harness_cart(2, 1);
  ADCL_Request request = ADCL_REQUEST_NULL;
  ADCL_Timer timer = ADCL_TIMER_NULL;
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao,IsIr_aao_pack,Ordered"));
  OK(ADCL_Halo_init(ADCL_HALO(data, 2, dims, 0, 1, MPI_DOUBLE), cart, &request));
  OK(ADCL_Timer_create(1, &request, &timer));
  for (int i = 0; i < most && timer_state(timer) == ADCL_STATE_SEARCH; ++i) {
    char name[ADCL_MAX_NAME];
    double wait = 1e-4;
    OK(ADCL_Timer_start(timer));
    OK(ADCL_Request_start(request));
    OK(ADCL_Request_get_curr_function(request, name, sizeof name));
    wait += strcmp(name, "Ordered") == 0 ? 0.0 : 3e-3;
    OK(ADCL_Request_init(request));
    OK(ADCL_Request_wait(request));
    OK(ADCL_Request_get_curr_function(request, name, sizeof name));
    wait += strcmp(name, "IsIr_aao_pack") == 0 ? 0.0 : 3e-3;
    OK(ADCL_Timer_stop(timer));
    OK(ADCL_Request_update(request, wait));
  }
  CHECK(timer_state(timer) == ADCL_STATE_PRODUCTION);
  OK(ADCL_Request_start(request));
  CHECK(winner_is(request, "Ordered"));
  OK(ADCL_Request_init(request));
  OK(ADCL_Request_wait(request));
  CHECK(winner_is(request, "IsIr_aao_pack"));
  OK(ADCL_Timer_free(&timer));
  OK(ADCL_Request_free(&request));
  MPI_Comm_free(&cart);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "6"));
  make_sets();
  all_combinations();
  one_coordinate_at_a_time();
  timer_interval();
  add_and_remove();
  freed_and_verified();
  monitored();
  wrong_arguments();
  measured_times();
  halo_in_two_modes();
  free_sets();
  {
    /* Not freed here: ADCL_Finalize frees it. */
    ADCL_Request request;
    ADCL_Timer timer;
    make_sets();
    request = request_of(0);
    OK(ADCL_Timer_create(1, &request, &timer));
    OK(ADCL_Request_free(&request));
    free_sets();
  }
  OK(ADCL_Finalize());
  return harness_verdict();
}
