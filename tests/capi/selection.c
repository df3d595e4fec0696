/* ranks: 1 2 3 4
 * timeout: 240
 * Search and decision as the application sees them: preselection, shared searches, user-supplied times, a saved and
 * restored status, equal winners on all ranks. */
#include "harness.h"

#define SIDE 8

static double data[SIDE * SIDE];
static const int dims[2] = {SIDE, SIDE};
static MPI_Comm cart;

static ADCL_Request halo(void) {
  ADCL_Request request = ADCL_REQUEST_NULL;
  OK(ADCL_Halo_init(ADCL_HALO(data, 2, dims, 0, 1, MPI_DOUBLE), cart, &request));
  return request;
}

/* Starts with times from the test. IsIr_aao_pack is always slower on rank 0 and faster elsewhere; the slowest rank
 * counts. 1.2 s and 0.4 s are the times with which ADCL 1.x chose wrongly, ADCL 1.x recorded 0 as 1 s. */
static void start_with_time(ADCL_Request request, double aao_s, double pack_s) {
  for (int i = 0; i < 50 && is_searching(request); ++i) {
    OK(ADCL_Request_start(request));
    OK(ADCL_Request_update(request, current_is(request, "IsIr_aao_pack") ? pack_s : aao_s));
  }
  CHECK(state_of(request) == ADCL_STATE_PRODUCTION);
}

static void user_supplied_times(void) {
  const int zero = harness_rank() == 0;
  ADCL_Request request;
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao,IsIr_aao_pack"));
  request = halo();
  start_with_time(request, 0.4, 1.2);
  CHECK(winner_is(request, "IsIr_aao"));
  OK(ADCL_Request_free(&request));
  request = halo();
  start_with_time(request, zero ? 1.5 : 0.1, zero ? 0.3 : 0.7);
  CHECK(winner_is(request, "IsIr_aao_pack"));
  OK(ADCL_Request_free(&request));
  request = halo();
  start_with_time(request, 0.5, 0.0);
  CHECK(winner_is(request, "IsIr_aao_pack"));
  OK(ADCL_Request_update(request, 3.0)); /* in production: ignored */
  CHECK(winner_is(request, "IsIr_aao_pack"));
  OK(ADCL_Request_free(&request));
}

static void preselection(void) {
  ADCL_Request request;
  int num;
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao_pack"));
  request = halo();
  OK(ADCL_Request_get_functions_num(request, &num));
  CHECK(num == 1);
  OK(ADCL_Request_start(request));
  CHECK(state_of(request) == ADCL_STATE_PRODUCTION);
  CHECK(winner_is(request, "IsIr_aao_pack") && current_is(request, "IsIr_aao_pack"));
  OK(ADCL_Request_free(&request));
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:^IsIr_aao"));
  request = halo();
  OK(ADCL_Request_get_functions_num(request, &num));
  for (int i = 0; i < num; ++i) {
    char name[ADCL_MAX_NAME];
    OK(ADCL_Request_get_statistics(request, i, name, sizeof name, NULL, NULL, NULL, NULL));
    CHECK(strcmp(name, "IsIr_aao") != 0);
  }
  OK(ADCL_Request_free(&request));
}

/* Starts two requests alternately until the decision; returns the number of starts. */
static int starts_until_decided(ADCL_Request first, ADCL_Request second) {
  int starts = 0;
  while (starts < 200 && is_searching(first)) {
    OK(ADCL_Request_start(first));
    OK(ADCL_Request_start(second));
    starts += 2;
  }
  return starts;
}

static void shared_search(void) {
  ADCL_Request first;
  ADCL_Request second;
  int shared;
  int alone;
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao,IsIr_aao_pack"));
  first = halo();
  second = halo();
  shared = starts_until_decided(first, second);
  CHECK(state_of(second) == ADCL_STATE_PRODUCTION);
  OK(ADCL_Request_free(&first));
  CHECK(state_of(second) == ADCL_STATE_PRODUCTION);
  OK(ADCL_Request_start(second));
  OK(ADCL_Request_free(&second));
  OK(ADCL_Option_set("ADCL_MERGE_REQUESTS", "0"));
  first = halo();
  second = halo();
  alone = starts_until_decided(first, second);
  CHECK(shared == 22 && alone == 44); /* 2 codelets x 10 starts, and two starts for the agreement */
  OK(ADCL_Request_free(&first));
  OK(ADCL_Request_free(&second));
  OK(ADCL_Option_set("ADCL_MERGE_REQUESTS", "1"));
}

/* Requests with different problems do not share a search, even if only one rank's problem differs. */
static void different_problems(void) {
  const int size = harness_size();
  const int mine[2] = {SIDE, harness_rank() == size - 1 ? SIDE - 1 : SIDE};
  int row_dims[2] = {1, size};
  int periods[2] = {0, 0};
  MPI_Comm row;
  ADCL_Request even;
  ADCL_Request uneven;
  MPI_Cart_create(MPI_COMM_WORLD, 2, row_dims, periods, 0, &row);
  OK(ADCL_Halo_init(ADCL_HALO(data, 2, dims, 0, 1, MPI_DOUBLE), row, &even));
  OK(ADCL_Halo_init(ADCL_HALO(data, 2, mine, 0, 1, MPI_DOUBLE), row, &uneven));
  for (int i = 0; i < 40; ++i) {
    OK(ADCL_Request_start(even));
  }
  CHECK(state_of(even) == ADCL_STATE_PRODUCTION);
  OK(ADCL_Request_start(uneven));
  CHECK(is_searching(uneven));
  OK(ADCL_Request_free(&even));
  OK(ADCL_Request_free(&uneven));
  MPI_Comm_free(&row);
}

static void save_and_restore(void) {
  int measurements[2];
  double mean_s[2];
  double filtered_s[2];
  int outliers[2];
  ADCL_Request request = halo();
  ADCL_Request next;
  start_with_time(request, 0.002, 0.001);
  OK(ADCL_Request_save_status(request, 2, measurements, mean_s, filtered_s, outliers));
  CHECK(measurements[0] == 10 && measurements[1] == 10 && mean_s[0] > 0.0015 && mean_s[1] < 0.0015);
  OK(ADCL_Request_free(&request));
  next = halo();
  if (harness_rank() != 0) {
    memset(measurements, 0, sizeof measurements); /* rank 0's values are used everywhere */
  }
  OK(ADCL_Request_restore_status(next, 2, measurements, mean_s, filtered_s, outliers));
  OK(ADCL_Request_start(next));
  CHECK(state_of(next) == ADCL_STATE_PRODUCTION && winner_is(next, "IsIr_aao_pack"));
  FAILS(ADCL_ERR_STATE, "already started",
        ADCL_Request_restore_status(next, 2, measurements, mean_s, filtered_s, outliers));
  OK(ADCL_Request_free(&next));
}

static void every_search_and_method(void) {
  static const char *const searches[] = {"brute_force", "hypothesis", "factorial"};
  static const char *const methods[] = {"none", "heuristic"};
  static const char *const timings[] = {"nobarrier", "barrier"};
  OK(ADCL_Option_set("ADCL_CODELETS", ""));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "2"));
  for (int s = 0; s < 3; ++s) {
    for (int m = 0; m < 2; ++m) {
      for (int t = 0; t < 2; ++t) {
        ADCL_Request request;
        int starts = 0;
        OK(ADCL_Option_set("ADCL_SEARCH", searches[s]));
        OK(ADCL_Option_set("ADCL_OUTLIERS", methods[m]));
        OK(ADCL_Option_set("ADCL_TIMING", timings[t]));
        request = halo();
        while (is_searching(request) && starts < 1000) {
          OK(ADCL_Request_start(request));
          ++starts;
        }
        CHECK(state_of(request) == ADCL_STATE_PRODUCTION);
        OK(ADCL_Request_free(&request));
      }
    }
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  cart = harness_cart(2, 1);
  user_supplied_times();
  preselection();
  shared_search();
  different_problems();
  save_and_restore();
  every_search_and_method();
  MPI_Comm_free(&cart);
  OK(ADCL_Finalize());
  return harness_verdict();
}
