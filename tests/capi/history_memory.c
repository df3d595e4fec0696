/* ranks: 1 2 3 4
 * valgrind: 2
 * History in memory, for applications that free requests and create them again: without a folder, the next request
 * of the same problem on the communicator verifies the winner. Blocks of ranks may differ in size. There is no
 * history if it is off, on other communicators, or for searches that measure everything. The test sets the times. */
#include "harness.h"

/* With fewer candidates, the prior decides a search on one node in 12 starts, and a similar problem saves none. */
#ifdef SMPI_H /* SMPI: a rank is not its own partner in Sr_pair */
#define FIFTH "IsIr_pair"
#else
#define FIFTH "Sr_pair"
#endif

enum { side = 8, most_rows = 40 * side, longest = 5000, verification_starts = 10 };

static double data[(most_rows + 2) * side];
static MPI_Comm cart;

/* The codelet named "IsIr_aao_pack" is the fastest. */
static int run_request(int rows) {
  const int dims[2] = {rows, side};
  ADCL_Request request = ADCL_REQUEST_NULL;
  int starts = 0;
  OK(ADCL_Halo_init(ADCL_HALO(data, 2, dims, 0, 1, MPI_DOUBLE), cart, &request));
  while (is_searching(request) && starts < longest) {
    OK(ADCL_Request_start(request));
    OK(ADCL_Request_update(request, current_is(request, "IsIr_aao_pack") ? 0.2 : 0.6));
    ++starts;
  }
  CHECK(winner_is(request, "IsIr_aao_pack"));
  OK(ADCL_Request_free(&request));
  return starts;
}

static void new_communicator(void) {
  MPI_Comm_free(&cart);
  cart = harness_cart(2, 1);
}

static void winner_is_verified(void) {
  CHECK(run_request(side) > verification_starts);
  CHECK(run_request(side) <= verification_starts);
  CHECK(run_request(side) <= verification_starts);
  new_communicator();
  CHECK(run_request(side) > verification_starts);
}

/* A problem of similar size, by rank 0's block: it takes fewer starts than an unknown problem. */
static void similar_size(int first, int second) {
  int alone;
  int taught;
  new_communicator();
  alone = run_request(second);
  new_communicator();
  run_request(first);
  taught = run_request(second);
  CHECK(taught < alone);
}

static void no_history_with(const char *option, const char *value, const char *before) {
  new_communicator();
  OK(ADCL_Option_set(option, value));
  run_request(side);
  CHECK(run_request(side) > verification_starts);
  OK(ADCL_Option_set(option, before));
}

static double own_distance(int n, const char *const *names, const double *here, const double *there) {
  (void)n, (void)names, (void)here, (void)there;
  CHECK(!"the distance function is not called with a history in memory");
  return 0.0;
}

int main(int argc, char **argv) {
  int place[2] = {0, 0};
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  cart = harness_cart(2, 1);
  /* Allow only these codelets, so that the test sets all times. */
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao,IsIr_aao_pack,SIr_aao,SIr_aao_pack," FIFTH));
  winner_is_verified();
  similar_size(side, 2 * side);
  MPI_Cart_coords(cart, harness_rank(), 2, place);
  similar_size(side + place[0] % 3, 2 * side + place[0] % 3);
  /* On some ranks, the sizes differ too much to be similar. */
  similar_size(side, place[0] == 0 ? 2 * side : most_rows);
  no_history_with("ADCL_HISTORY", "off", "memory");
  no_history_with("ADCL_MERGE_REQUESTS", "0", "1");
  no_history_with("ADCL_SEARCH", "brute_force", "model");
  OK(ADCL_Fnctset_set_similarity(ADCL_FNCTSET_NEIGHBORHOOD, own_distance));
  new_communicator();
  run_request(side);
  run_request(2 * side);
  CHECK(run_request(2 * side) <= verification_starts);
  MPI_Comm_free(&cart);
  OK(ADCL_Finalize());
  return harness_verdict();
}
