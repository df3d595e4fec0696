/* ranks: 1 2 3
 * not smpi: it does not free the attributes of MPI_COMM_SELF in MPI_Finalize, which notify the library
 * Calls after MPI_Finalize return an error in every state of a request: ADCL_ERR_STATE in a program that has not called
 * ADCL_Finalize, and ADCL_ERR_NOT_INITIALIZED in a program that has called it (here with two ranks). */
#include "harness.h"

static int rank;
static int failures;
static int expected = ADCL_ERR_STATE;
static const char *expected_words = "MPI is already finalized";

/* Checks that the call returns the error after MPI_Finalize. */
#define REFUSED(call)                                                                                          \
  do {                                                                                                         \
    const int code = (call);                                                                                   \
    if (code != expected || strstr(ADCL_Last_error(), expected_words) == NULL || !harness_named_once(#call)) { \
      ++failures;                                                                                              \
      fprintf(stderr, "%s:%d: rank %d: %s: code %d, '%s'\n", __FILE__, __LINE__, rank, #call, code,            \
              code == ADCL_SUCCESS ? "" : ADCL_Last_error());                                                  \
    }                                                                                                          \
  } while (0)

enum { decided, searching, in_flight, kinds };

static double data[kinds][64];
static ADCL_Request requests[kinds];
static MPI_Comm cart;

static ADCL_Request halo(int field) {
  const int dims[2] = {8, 8};
  ADCL_Request request = ADCL_REQUEST_NULL;
  OK(ADCL_Halo_init(ADCL_HALO(data[field], 2, dims, 0, 1, MPI_DOUBLE), cart, &request));
  return request;
}

static void calls_of_requests(void) {
  char name[ADCL_MAX_NAME];
  int number = 0;
  for (int i = 0; i < kinds; ++i) {
    ADCL_Request copy = requests[i];
    REFUSED(ADCL_Request_start(requests[i]));
    REFUSED(ADCL_Request_init(requests[i]));
    REFUSED(ADCL_Request_wait(requests[i]));
    REFUSED(ADCL_Request_test(requests[i], &number));
    REFUSED(ADCL_Request_progress(requests[i], 0));
    REFUSED(ADCL_Request_start_with(requests[i], data[0], data[0]));
    REFUSED(ADCL_Request_init_with(requests[i], data[0], data[0]));
    REFUSED(ADCL_Request_start_overlap(requests[i], no_work, no_work, no_work));
    REFUSED(ADCL_Request_update(requests[i], 0.1));
    REFUSED(ADCL_Request_verify(requests[i]));
    REFUSED(ADCL_Request_get_state(requests[i], &number));
    REFUSED(ADCL_Request_get_winner(requests[i], name, sizeof name));
    REFUSED(ADCL_Request_free(&copy));
  }
}

static void other_calls(ADCL_Vector vector, ADCL_Topology topology, ADCL_Timer timer) {
  const int dims[2] = {8, 8};
  double *memory = NULL;
  ADCL_Request request = ADCL_REQUEST_NULL;
  ADCL_Timer other = ADCL_TIMER_NULL;
  ADCL_Vmap vmap = ADCL_VMAP_NULL;
  ADCL_Vector made = ADCL_VECTOR_NULL;
  char value[ADCL_MAX_NAME];
  REFUSED(ADCL_Timer_start(timer));
  REFUSED(ADCL_Timer_stop(timer));
  REFUSED(ADCL_Timer_commit(timer));
  REFUSED(ADCL_Timer_create(1, requests, &other));
  REFUSED(ADCL_Timer_free(&timer));
  REFUSED(ADCL_Halo_init(ADCL_HALO(data[0], 2, dims, 0, 1, MPI_DOUBLE), cart, &request));
  REFUSED(ADCL_Barrier_init(MPI_COMM_WORLD, &request));
  REFUSED(ADCL_Request_create(vector, vmap, topology, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  REFUSED(ADCL_Topology_create(MPI_COMM_WORLD, 0, &topology));
  REFUSED(ADCL_Topology_free(&topology));
  REFUSED(ADCL_Vmap_halo_allocate(1, &vmap));
  REFUSED(ADCL_Vector_rebind(vector, data[1]));
  REFUSED(ADCL_Vector_deregister(&vector));
  REFUSED(ADCL_Vector_allocate(2, dims, 0, MPI_DOUBLE, &memory, &made));
  REFUSED(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  REFUSED(ADCL_Option_get("ADCL_SEARCH", value, sizeof value));
  REFUSED(ADCL_Finalize());
  expected = ADCL_ERR_STATE;
  expected_words = "MPI is already finalized";
  REFUSED(ADCL_Init());
}

int main(int argc, char **argv) {
  const int dims[2] = {8, 8};
  ADCL_Vector vector;
  ADCL_Topology topology;
  ADCL_Timer timer;
  int orderly;
  MPI_Init(&argc, &argv);
  rank = harness_rank();
  orderly = harness_size() == 2;
  OK(ADCL_Init());
  cart = harness_cart(2, 1);
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao"));
  requests[decided] = halo(decided);
  requests[in_flight] = halo(in_flight);
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao,IsIr_pair"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "1000"));
  requests[searching] = halo(searching);
  OK(ADCL_Vector_register(2, dims, 0, MPI_DOUBLE, data[0], &vector));
  OK(ADCL_Topology_create(cart, 0, &topology));
  OK(ADCL_Timer_create(0, NULL, &timer));
  for (int i = 0; i < 10; ++i) {
    OK(ADCL_Request_start(requests[decided]));
    OK(ADCL_Request_start(requests[searching]));
  }
  OK(ADCL_Request_init(requests[in_flight]));
  if (orderly) {
    OK(ADCL_Request_wait(requests[in_flight]));
    OK(ADCL_Finalize());
    expected = ADCL_ERR_NOT_INITIALIZED;
    expected_words = "the library is not initialized";
  }
  failures = harness_failures;
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  calls_of_requests();
  other_calls(vector, topology, timer);
  printf("rank %d: %d failures\n", rank, failures);
  return failures != 0;
}
