/* ranks: 1 2 3 4
 * timeout: 240
 * valgrind: 2
 * ADCL_Request_start_with and ADCL_Request_init_with accept any array of the same shape, a different array on each
 * rank, with every applicable codelet and in the search. The request's own arrays do not change. */
#include "harness.h"

enum { side = 6, points = side * side, arrays = 3 };

static double own[points], own_in[points], other[arrays][points], other_in[arrays][points];
static const int dims[2] = {side, side};
static MPI_Comm cart;
static int low[2], high[2]; /* neighbors in each dimension */
static int round_number;

static double value(int rank, int point) { return 1e6 * round_number + 1e3 * rank + point; }

static void fill(double *array, int halo_too) {
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      const int inside = i > 0 && i < side - 1 && j > 0 && j < side - 1;
      array[i * side + j] = inside || halo_too ? value(harness_rank(), i * side + j) : -1.0;
    }
  }
}

/* True if the halo contains the outer rows and columns of the neighbors' arrays. */
static int halo_is_right(const double *array) {
  for (int k = 1; k < side - 1; ++k) {
    const int from_low[2] = {(side - 2) * side + k, k * side + side - 2};
    const int from_high[2] = {side + k, k * side + 1};
    const int at_low[2] = {k, k * side};
    const int at_high[2] = {(side - 1) * side + k, k * side + side - 1};
    for (int d = 0; d < 2; ++d) {
      if (array[at_low[d]] != value(low[d], from_low[d]) || array[at_high[d]] != value(high[d], from_high[d])) {
        return 0;
      }
    }
  }
  return 1;
}

static int is_unchanged(const double *array) {
  for (int i = 0; i < points; ++i) {
    if (array[i] != -7.0) {
      return 0;
    }
  }
  return 1;
}

/* Each rank uses a different array. */
static void exchange(ADCL_Request request, int split, int two_arrays) {
  const int mine = (round_number * 7 + harness_rank() * 5) % arrays;
  double *in = two_arrays ? other_in[(mine + 1) % arrays] : other[mine];
  ++round_number;
  fill(other[mine], 0);
  if (two_arrays) {
    for (int i = 0; i < points; ++i) {
      in[i] = -1.0;
    }
  }
  if (split) {
    OK(ADCL_Request_init_with(request, other[mine], in));
    OK(ADCL_Request_wait(request));
  } else {
    OK(ADCL_Request_start_with(request, other[mine], in));
  }
  CHECK(halo_is_right(in));
}

static ADCL_Request create(int two_arrays) {
  ADCL_Request request = ADCL_REQUEST_NULL;
  ADCL_Vector out, in;
  ADCL_Vmap vmap;
  ADCL_Topology topo;
  if (!two_arrays) {
    OK(ADCL_Halo_init(ADCL_HALO(own, 2, dims, 0, 1, MPI_DOUBLE), cart, &request));
    return request;
  }
  OK(ADCL_Vector_register(2, dims, 0, MPI_DOUBLE, own, &out));
  OK(ADCL_Vector_register(2, dims, 0, MPI_DOUBLE, own_in, &in));
  OK(ADCL_Vmap_halo_allocate(1, &vmap));
  OK(ADCL_Topology_create(cart, 0, &topo));
  OK(ADCL_Request_create_generic(out, vmap, in, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  OK(ADCL_Topology_free(&topo));
  OK(ADCL_Vmap_free(&vmap));
  OK(ADCL_Vector_deregister(&out));
  OK(ADCL_Vector_deregister(&in));
  return request;
}

static void run_search(int split, int two_arrays, const char *logic) {
  ADCL_Request request;
  OK(ADCL_Option_set("ADCL_SEARCH", logic));
  request = create(two_arrays);
  for (int i = 0; i < 3000 && is_searching(request); ++i) {
    exchange(request, split, two_arrays);
  }
  CHECK(state_of(request) == ADCL_STATE_PRODUCTION);
  for (int i = 0; i < 20; ++i) {
    exchange(request, split, two_arrays);
  }
  CHECK(is_unchanged(own) && is_unchanged(own_in));
  /* Starts on the request's own arrays still work between starts on other arrays. */
  ++round_number;
  fill(own, 0);
  OK(ADCL_Request_start(request));
  CHECK(halo_is_right(two_arrays ? own_in : own));
  exchange(request, split, two_arrays);
  OK(ADCL_Request_free(&request));
  for (int i = 0; i < points; ++i) {
    own[i] = own_in[i] = -7.0;
  }
}

/* Each codelet alone either works with other arrays, or is not applicable and gives the reason. */
static void every_codelet(int split) {
  char names[80][ADCL_MAX_NAME];
  int num = 0;
  int did = 0;
  int bound = 0; /* number of codelets that are bound to addresses */
  ADCL_Request all = create(0);
  OK(ADCL_Request_get_functions_num(all, &num));
  CHECK(num <= 80);
  for (int i = 0; i < num; ++i) {
    OK(ADCL_Request_get_statistics(all, i, names[i], ADCL_MAX_NAME, NULL, NULL, NULL, NULL));
  }
  OK(ADCL_Request_free(&all));
  for (int i = 0; i < num; ++i) {
    char choice[ADCL_MAX_NAME + 20];
    ADCL_Request request;
    int code;
    strcpy(choice, "neighborhood:");
    strcat(choice, names[i]);
    OK(ADCL_Option_set("ADCL_CODELETS", choice));
    request = create(0);
    ++round_number;
    fill(other[0], 0);
    code = split ? ADCL_Request_init_with(request, other[0], other[0])
                 : ADCL_Request_start_with(request, other[0], other[0]);
    bound = bound || strcmp(names[i], "Persist_aao") == 0;
    CHECK(code == ADCL_SUCCESS ||
          (code == ADCL_ERR_NO_CODELET && strstr(ADCL_Last_error(), "other arrays than") != NULL));
    if (code == ADCL_SUCCESS) {
      if (split) {
        OK(ADCL_Request_wait(request));
      }
      CHECK(halo_is_right(other[0]));
      for (int k = 0; k < 4; ++k) {
        exchange(request, split, 0);
      }
      ++did;
    }
    OK(ADCL_Request_free(&request));
  }
  CHECK(is_unchanged(own));
  CHECK(did >= 4 && (did < num || !bound));
  OK(ADCL_Option_set("ADCL_CODELETS", ""));
}

static void work(ADCL_Request request) { (void)request; }

static void wrong_arguments(void) {
  ADCL_Request request = create(0);
  ADCL_Halo halo = *ADCL_HALO(own, 2, dims, 0, 1, MPI_DOUBLE);
  ADCL_Function function;
  ADCL_Fnctset set;
  FAILS(ADCL_ERR_ARGUMENT, "sbuf is a null pointer", ADCL_Request_start_with(request, NULL, other[0]));
  FAILS(ADCL_ERR_ARGUMENT, "rbuf is a null pointer", ADCL_Request_init_with(request, other[0], NULL));
  FAILS(ADCL_ERR_ARGUMENT, "one array for both", ADCL_Request_start_with(request, other[0], other[1]));
  OK(ADCL_Request_init(request));
  FAILS(ADCL_ERR_STATE, "in flight", ADCL_Request_start_with(request, other[0], other[0]));
  OK(ADCL_Request_wait(request));
  OK(ADCL_Request_free(&request));
  request = create(1);
  FAILS(ADCL_ERR_ARGUMENT, "the same array", ADCL_Request_start_with(request, other[0], other[0]));
  OK(ADCL_Request_free(&request));
  halo.next = ADCL_HALO(own_in, 2, dims, 0, 1, MPI_DOUBLE);
  OK(ADCL_Halo_init(&halo, cart, &request));
  FAILS(ADCL_ERR_UNSUPPORTED, "2 fields", ADCL_Request_start_with(request, other[0], other[0]));
  OK(ADCL_Request_free(&request));
  OK(ADCL_Function_create(work, ADCL_ATTRSET_NULL, NULL, "work", &function));
  OK(ADCL_Fnctset_create(1, &function, "set", &set));
  OK(ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, ADCL_TOPOLOGY_NULL, set, &request));
  FAILS(ADCL_ERR_UNSUPPORTED, "ADCL_Vector_rebind", ADCL_Request_start_with(request, other[0], other[0]));
  OK(ADCL_Request_free(&request));
  OK(ADCL_Fnctset_free(&set));
  OK(ADCL_Function_free(&function));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  cart = harness_cart(2, 1);
  for (int d = 0; d < 2; ++d) {
    MPI_Cart_shift(cart, d, 1, &low[d], &high[d]);
  }
  for (int i = 0; i < points; ++i) {
    own[i] = own_in[i] = -7.0;
  }
  for (int split = 0; split < 2; ++split) {
    every_codelet(split);
    for (int two_arrays = 0; two_arrays < 2; ++two_arrays) {
      run_search(split, two_arrays, "brute_force");
    }
  }
  OK(ADCL_Option_set("ADCL_OVERLAP_BLOCKING", "1"));
  run_search(1, 0, "brute_force");
  every_codelet(1);
  OK(ADCL_Option_set("ADCL_OVERLAP_BLOCKING", "0"));
  wrong_arguments();
  MPI_Comm_free(&cart);
  OK(ADCL_Finalize());
  return harness_verdict();
}
