/* ranks: 1 2 3 4
 * valgrind: 2
 * History in memory, for applications that free requests and create them again: without a folder, the next request
 * of the same problem on the communicator verifies the winner. Blocks of ranks may differ in size. There is no
 * history if it is off, on other communicators, or for searches that measure everything. The test sets the times. */
#include "harness.h"

enum { side = 8, most_rows = 40 * side, longest = 5000, at_once = 10 };

static double data[(most_rows + 2) * side];
static MPI_Comm cart;

/* The codelet named "IsIr_aao_pack" is the fastest. */
static int life(int rows) {
  const int dims[2] = {rows, side};
  ADCL_Request request = ADCL_REQUEST_NULL;
  int state = ADCL_STATE_SEARCH;
  int starts = 0;
  OK(ADCL_Halo_init(ADCL_HALO(data, 2, dims, 0, 1, MPI_DOUBLE), cart, &request));
  while (state == ADCL_STATE_SEARCH && starts < longest) {
    char name[ADCL_MAX_NAME];
    OK(ADCL_Request_start(request));
    OK(ADCL_Request_get_state(request, &state));
    OK(ADCL_Request_get_curr_function(request, name, sizeof name));
    OK(ADCL_Request_update(request, strcmp(name, "IsIr_aao_pack") == 0 ? 0.2 : 0.6));
    ++starts;
  }
  CHECK(winner_is(request, "IsIr_aao_pack"));
  OK(ADCL_Request_free(&request));
  return starts;
}

static void fresh_communicator(void) {
  MPI_Comm_free(&cart);
  cart = harness_cart(2, 1);
}

static void verifies_winner(void) {
  CHECK(life(side) > at_once);
  CHECK(life(side) <= at_once);
  CHECK(life(side) <= at_once);
  fresh_communicator();
  CHECK(life(side) > at_once);
}

/* A problem of similar size, by rank 0's block: it takes fewer starts than an unknown problem. */
static void similar(int first, int second) {
  int alone;
  int taught;
  fresh_communicator();
  alone = life(second);
  fresh_communicator();
  life(first);
  taught = life(second);
  CHECK(taught < alone);
}

static void does_not_verify(const char *option, const char *value, const char *before) {
  fresh_communicator();
  OK(ADCL_Option_set(option, value));
  life(side);
  CHECK(life(side) > at_once);
  OK(ADCL_Option_set(option, before));
}

static double own_distance(int n, const char *const *names, const double *here, const double *there) {
  (void)n, (void)names, (void)here, (void)there;
  CHECK(!"it is not asked where ranks would have to be told the answer");
  return 0.0;
}

int main(int argc, char **argv) {
  int place[2] = {0, 0};
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  cart = harness_cart(2, 1);
  /* Allow only these codelets, so that the test sets all times. */
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao,IsIr_aao_pack,SIr_aao,SIr_aao_pack,Sr_pair"));
  verifies_winner();
  similar(side, 2 * side);
  MPI_Cart_coords(cart, harness_rank(), 2, place);
  similar(side + place[0] % 3, 2 * side + place[0] % 3);
  /* On some ranks the sizes differ too much. */
  similar(side, place[0] == 0 ? 2 * side : most_rows);
  does_not_verify("ADCL_HISTORY", "off", "memory");
  does_not_verify("ADCL_MERGE_REQUESTS", "0", "1");
  does_not_verify("ADCL_SEARCH", "brute_force", "model");
  OK(ADCL_Fnctset_set_similarity(ADCL_FNCTSET_NEIGHBORHOOD, own_distance));
  fresh_communicator();
  life(side);
  life(2 * side);
  CHECK(life(2 * side) <= at_once);
  MPI_Comm_free(&cart);
  OK(ADCL_Finalize());
  return harness_verdict();
}
