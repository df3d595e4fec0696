/* ranks: 1 2 3 4
 * timeout: 120
 * ADCL_METHOD=thesis: every codelet has the same number of measurements. The winner is neither monitored nor stored
 * in the history. The test sets the times. */
#include "harness.h"

enum { side = 8, measurements = 5 };

static double data[2][side * side];
static const int dims[2] = {side, side};
static MPI_Comm cart;

static ADCL_Request halo(int array) {
  ADCL_Request request = ADCL_REQUEST_NULL;
  OK(ADCL_Halo_init(ADCL_HALO(data[array], 2, dims, 0, 1, MPI_DOUBLE), cart, &request));
  return request;
}

static void run(ADCL_Request request, double aao_s, double pack_s) {
  OK(ADCL_Request_start(request));
  OK(ADCL_Request_update(request, current_is(request, "IsIr_aao_pack") ? pack_s : aao_s));
}

/* Starts until the search has ended, at most `most` times. */
static int search(ADCL_Request request, double aao_s, double pack_s, int most) {
  int starts = 0;
  while (starts < most && state_of(request) != ADCL_STATE_PRODUCTION) {
    run(request, aao_s, pack_s);
    ++starts;
  }
  return starts;
}

static void expect_all_measured(ADCL_Request request) {
  int codelets = 0;
  int starts;
  OK(ADCL_Request_get_functions_num(request, &codelets));
  CHECK(codelets > 1);
  /* Two more starts, for the agreement of the ranks. */
  starts = search(request, 0.4, 0.2, 1000) - codelets * measurements;
  CHECK(starts >= 0 && starts <= 2);
  CHECK(winner_is(request, "IsIr_aao_pack"));
  for (int i = 0; i < codelets; ++i) {
    char name[ADCL_MAX_NAME];
    int measured = -1;
    OK(ADCL_Request_get_statistics(request, i, name, sizeof name, &measured, NULL, NULL, NULL));
    CHECK(measured == measurements);
  }
}

int main(int argc, char **argv) {
  const int periods[2] = {1, 1};
  int sizes[2] = {0, 0};
  ADCL_Request request, later;
  MPI_Init(&argc, &argv);
  MPI_Dims_create(harness_size(), 2, sizes);
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &cart);
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_METHOD", "thesis"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "5"));
  OK(ADCL_Option_set("ADCL_MERGE_REQUESTS", "0"));
  request = halo(0);
  expect_all_measured(request);
  /* The winner becomes ten times slower and stays, without monitoring. */
  for (int i = 0; i < 3000; ++i) {
    run(request, 0.4, 2.0);
  }
  CHECK(state_of(request) == ADCL_STATE_PRODUCTION);
  CHECK(winner_is(request, "IsIr_aao_pack"));
  OK(ADCL_Request_free(&request));
  /* Without history, the same problem has a full search again. */
  later = halo(1);
  expect_all_measured(later);
  OK(ADCL_Request_free(&later));
  MPI_Comm_free(&cart);
  OK(ADCL_Finalize());
  return harness_verdict();
}
