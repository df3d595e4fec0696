/* ranks: 1 2 3 4
 * timeout: 240
 * ADCL_Request_verify: a winner that keeps its time stays after a few measurements; otherwise a search begins. All
 * requests that share the search take part, in both modes. A restored status can also be verified. */
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

/* Starts until the decision; returns the number of starts. */
static int decide(ADCL_Request request, int split, double aao_s, double pack_s) {
  int starts = 0;
  do {
    run(request, split, aao_s, pack_s);
    ++starts;
  } while (starts < 100 && is_searching(request));
  CHECK(state_of(request) == ADCL_STATE_PRODUCTION);
  return starts;
}

static void verify_winner(int split) {
  ADCL_Request request = halo();
  int measurements = 0;
  double mean_s = 0.0;
  OK(ADCL_Request_verify(request)); /* there is no result yet */
  CHECK(decide(request, split, 0.4, 0.2) > 20);
  CHECK(winner_is(request, "IsIr_aao_pack"));
  for (int i = 0; i < 30; ++i) {
    run(request, split, 0.1, 9.0); /* times are ignored in production */
  }
  CHECK(state_of(request) == ADCL_STATE_PRODUCTION && winner_is(request, "IsIr_aao_pack"));
  OK(ADCL_Request_verify(request));
  CHECK(is_searching(request));
  OK(ADCL_Request_verify(request)); /* once is enough */
  /* Three warm-up starts, five measured starts, two starts for the agreement. */
  CHECK(decide(request, split, 0.1, 0.21) == 10);
  CHECK(winner_is(request, "IsIr_aao_pack"));
  OK(ADCL_Request_get_statistics(request, 1, NULL, 0, &measurements, &mean_s, NULL, NULL));
  CHECK(measurements == 5 && mean_s > 0.209 && mean_s < 0.211);
  OK(ADCL_Request_verify(request));
  CHECK(decide(request, split, 0.4, 0.7) > 8);
  CHECK(winner_is(request, "IsIr_aao"));
  OK(ADCL_Request_free(&request));
}

/* The second request still holds its lease and the plan of the former winner. */
static void shared_search(void) {
  ADCL_Request first = halo();
  ADCL_Request second = halo();
  decide(first, 0, 0.4, 0.2);
  run(second, 0, 0.4, 0.2);
  run(second, 0, 0.4, 0.2);
  CHECK(winner_is(second, "IsIr_aao_pack"));
  OK(ADCL_Request_verify(first));
  CHECK(is_searching(second));
  decide(first, 0, 0.4, 0.9);
  CHECK(winner_is(first, "IsIr_aao") && winner_is(second, "IsIr_aao"));
  run(second, 0, 0.4, 0.9);
  CHECK(current_is(second, "IsIr_aao"));
  OK(ADCL_Request_verify(second));
  decide(second, 0, 0.4, 0.2);
  CHECK(winner_is(first, "IsIr_aao"));
  OK(ADCL_Request_free(&first));
  decide(second, 0, 0.4, 0.2);
  OK(ADCL_Request_free(&second));
}

/* Each mode has its own decision. */
static void one_of_two_modes(void) {
  ADCL_Request request = halo();
  decide(request, 0, 0.4, 0.2);
  decide(request, 1, 0.2, 0.4);
  OK(ADCL_Request_verify(request));
  CHECK(is_searching(request));
  run(request, 0, 0.4, 0.2);
  CHECK(state_of(request) == ADCL_STATE_PRODUCTION && winner_is(request, "IsIr_aao_pack"));
  CHECK(decide(request, 1, 0.2, 0.4) == 10);
  OK(ADCL_Request_init(request));
  FAILS(ADCL_ERR_STATE, "in flight", ADCL_Request_verify(request));
  OK(ADCL_Request_wait(request));
  OK(ADCL_Request_free(&request));
}

static void restored_status(void) {
  const int measurements[2] = {10, 10};
  const double seconds[2] = {0.4, 0.2};
  const int outliers[2] = {0, 0};
  ADCL_Request request = halo();
  OK(ADCL_Request_restore_status(request, 2, measurements, seconds, seconds, outliers));
  OK(ADCL_Request_verify(request));
  CHECK(decide(request, 0, 0.1, 0.2) == 10);
  CHECK(winner_is(request, "IsIr_aao_pack"));
  OK(ADCL_Request_free(&request));
  request = halo();
  OK(ADCL_Request_restore_status(request, 2, measurements, seconds, seconds, outliers));
  OK(ADCL_Request_verify(request));
  CHECK(decide(request, 0, 0.1, 0.5) > 8);
  CHECK(winner_is(request, "IsIr_aao"));
  OK(ADCL_Request_free(&request));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  cart = harness_cart(2, 1);
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao,IsIr_aao_pack"));
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  verify_winner(0);
  verify_winner(1);
  shared_search();
  one_of_two_modes();
  restored_status();
  MPI_Comm_free(&cart);
  OK(ADCL_Finalize());
  return harness_verdict();
}
