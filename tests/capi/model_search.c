/* ranks: 1 2 3 4
 * ADCL_SEARCH=model: halos are correct in every state, the search finds the winner from times that the test sets,
 * ranks agree, and a short program has no search. */
#include "harness.h"

enum { side = 8, layers = side + 2 };

static double data[layers * layers];
static double other[layers * layers];
static const int dims[2] = {layers, layers};
static MPI_Comm cart;

static ADCL_Request halo(void) {
  ADCL_Request request = ADCL_REQUEST_NULL;
  OK(ADCL_Halo_init(ADCL_HALO(data, 2, dims, 0, 1, MPI_DOUBLE), cart, &request));
  return request;
}

/* Exchanges by start, by init and wait (which have their own search), or with another array. Checks that every halo
 * cell of a face has the neighbor's value: its rank and the number of the start. */
static void exchange(ADCL_Request request, double *array, int start) {
  int size = 0;
  int low = 0;
  int high = 0;
  MPI_Comm_size(cart, &size);
  MPI_Cart_shift(cart, 0, 1, &low, &high);
  for (int i = 0; i < layers * layers; ++i) {
    array[i] = harness_rank() + (double)size * start;
  }
  if (array == data && start % 2 == 0) {
    OK(ADCL_Request_start(request));
  } else if (array == data) {
    OK(ADCL_Request_init(request));
    OK(ADCL_Request_wait(request));
  } else {
    OK(ADCL_Request_start_with(request, array, array));
  }
  for (int j = 1; j <= side; ++j) {
    CHECK(array[j] == low + (double)size * start);
    CHECK(array[(layers - 1) * layers + j] == high + (double)size * start);
  }
}

static void winner_is_found(void) {
#ifdef SMPI_H /* SMPI: a rank is not its own partner in Sr_pair */
  const char *fastest = "IsIr_aao_pack";
#else
  const char *fastest = "Sr_pair";
#endif
  int start = 0;
  int provisional_start = 0;
  ADCL_Request request;
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao,IsIr_aao_pack,Sr_pair,Joined_pack"));
  request = halo();
  for (; start < 5000 && (provisional_start == 0 || start < provisional_start + 300); ++start) {
    exchange(request, data, 2 * start);
    OK(ADCL_Request_update(request, current_is(request, fastest) ? 1.0 : 2.0));
    provisional_start = provisional_start > 0 || is_searching(request) ? provisional_start : start;
  }
  CHECK(provisional_start > 0 && provisional_start < 1200); /* a provisional decision */
  CHECK(state_of(request) == ADCL_STATE_PRODUCTION);
  CHECK(winner_is(request, fastest));
  OK(ADCL_Request_free(&request));
}

/* All codelets, real times, and sometimes other arrays; the array of the request moves while its search pauses. */
static void halos_are_right(void) {
  ADCL_Request request;
  OK(ADCL_Option_set("ADCL_CODELETS", ""));
  request = halo();
  for (int start = 0; start < 600; ++start) {
    exchange(request, start % 3 == 2 ? other : data, start);
  }
  OK(ADCL_Request_verify(request));
  for (int start = 0; start < 300; ++start) {
    exchange(request, data, start);
  }
  OK(ADCL_Request_free(&request));
}

/* Creating another plan costs more than four starts of a microsecond can gain, so one codelet runs at all starts. */
static void short_program(void) {
  char first[ADCL_MAX_NAME];
  ADCL_Request request;
  OK(ADCL_Option_set("ADCL_EXPECTED_STARTS", "4"));
  request = halo();
  for (int start = 0; start < 4; ++start) {
    exchange(request, data, 2 * start);
    OK(ADCL_Request_update(request, 1e-6));
    if (start == 0) {
      OK(ADCL_Request_get_curr_function(request, first, sizeof first));
    }
    CHECK(current_is(request, first));
  }
  OK(ADCL_Request_free(&request));
  OK(ADCL_Option_set("ADCL_EXPECTED_STARTS", "0"));
}

/* Number of starts of codelets other than the fastest; all others take the same time.
 */
static int count_trials(int rebinding) {
  int count = 0;
  ADCL_Vector vector;
  ADCL_Vmap vmap;
  ADCL_Topology topology;
  ADCL_Request request;
  OK(ADCL_Vector_register(2, dims, 0, MPI_DOUBLE, data, &vector));
  OK(ADCL_Vmap_halo_allocate(1, &vmap));
  OK(ADCL_Topology_create(cart, 0, &topology));
  OK(ADCL_Request_create(vector, vmap, topology, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  for (int start = 0; start < 400; ++start) {
    if (rebinding) {
      OK(ADCL_Vector_rebind(vector, start % 2 == 0 ? other : data));
    }
    OK(ADCL_Request_start(request));
    OK(ADCL_Request_update(request, current_is(request, "Ordered") ? 1.0 : 1.5));
    count += !current_is(request, "Ordered");
  }
  OK(ADCL_Request_free(&request));
  OK(ADCL_Topology_free(&topology));
  OK(ADCL_Vmap_free(&vmap));
  OK(ADCL_Vector_deregister(&vector));
  return count;
}

/* A solver that swaps its arrays before each start does not have more trials than another solver. */
static void pauses_with_moving_arrays(void) {
  const int usual = count_trials(0);
  const int moving = count_trials(1);
  CHECK(moving <= usual + 3);
}

int main(int argc, char **argv) {
  const int periods[2] = {1, 1};
  int processes[2] = {0, 1};
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  processes[0] = harness_size();
  MPI_Cart_create(MPI_COMM_WORLD, 2, processes, periods, 0, &cart);
  OK(ADCL_Option_set("ADCL_SEARCH", "model"));
  winner_is_found();
  halos_are_right();
  short_program();
  pauses_with_moving_arrays();
  MPI_Comm_free(&cart);
  OK(ADCL_Finalize());
  return harness_verdict();
}
