/* ranks: 1 2 3 4
 * timeout: 240
 * valgrind: 2
 * Each way to use a request, with a check of the results: two vectors, an array that moves, overlap with functions,
 * user codelets with attribute values, graphs, extended and generic topologies. */
#include "harness.h"

#define SIDE 6
#define LINE 16

static int left_of(int rank, int size) { return (rank + size - 1) % size; }
static int right_of(int rank, int size) { return (rank + 1) % size; }

static MPI_Comm ring(void) {
  int size = harness_size();
  int periodic = 1;
  MPI_Comm comm;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &comm);
  return comm;
}

/* Starts as a whole or in two parts: each mode has its own plans and its own fast path in production. */
static void exchange(ADCL_Request request, int in_two_parts) {
  if (in_two_parts) {
    OK(ADCL_Request_init(request));
    OK(ADCL_Request_wait(request));
  } else {
    OK(ADCL_Request_start(request));
  }
}

/* Two arrays alternate, during the search and in production. The address changes for plans of all codelets that are
 * bound to it, because the turns are not a multiple of the measurements of a codelet. */
static void rebound_array(int in_two_parts) {
  static const int turns[] = {1, 3, 7, 13, 17, 23};
  const int dims[1] = {LINE};
  const int size = harness_size();
  const int turn = turns[harness_between(0, 5)];
  double first[LINE];
  double second[LINE];
  double *arrays[2] = {first, second};
  MPI_Comm comm = ring();
  int rank;
  int rounds = 400;
  ADCL_Vector vec;
  ADCL_Vmap vmap;
  ADCL_Topology topo;
  ADCL_Request request;
  MPI_Comm_rank(comm, &rank);
  OK(ADCL_Vector_register(1, dims, 0, MPI_DOUBLE, first, &vec));
  OK(ADCL_Vmap_halo_allocate(1, &vmap));
  OK(ADCL_Topology_create(comm, 0, &topo));
  OK(ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  for (int round = 0; round < rounds; ++round) {
    double *line = arrays[round / turn % 2];
    const double *other = arrays[1 - round / turn % 2];
    if (round % turn == 0) {
      OK(ADCL_Vector_rebind(vec, line));
    }
    for (int i = 0; i < LINE; ++i) {
      line[i] = rank * 100 + i + round;
      arrays[1 - round / turn % 2][i] = -1;
    }
    exchange(request, in_two_parts);
    CHECK(line[0] == left_of(rank, size) * 100 + LINE - 2 + round);
    CHECK(line[LINE - 1] == right_of(rank, size) * 100 + 1 + round);
    CHECK(other[0] == -1 && other[LINE - 1] == -1);
    if (round == rounds - 1 && is_searching(request) && rounds < 2000) {
      rounds += 100;
    }
  }
  CHECK(state_of(request) == ADCL_STATE_PRODUCTION);
  OK(ADCL_Request_free(&request));
  OK(ADCL_Topology_free(&topo));
  OK(ADCL_Vmap_free(&vmap));
  OK(ADCL_Vector_deregister(&vec));
  MPI_Comm_free(&comm);
}

/* A codelet whose plan is bound to the address has won; then the array moves, back and forth. */
static void rebound_array_of_bound_winner(const char *codelet, int in_two_parts) {
  const int dims[1] = {LINE};
  const int size = harness_size();
  double arrays[2][LINE];
  MPI_Comm comm = ring();
  int rank;
  ADCL_Vector vec;
  ADCL_Vmap vmap;
  ADCL_Topology topo;
  ADCL_Request request = ADCL_REQUEST_NULL;
  MPI_Comm_rank(comm, &rank);
  OK(ADCL_Option_set("ADCL_CODELETS", codelet));
  OK(ADCL_Vector_register(1, dims, 0, MPI_DOUBLE, arrays[0], &vec));
  OK(ADCL_Vmap_halo_allocate(1, &vmap));
  OK(ADCL_Topology_create(comm, 0, &topo));
  if (ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request) == ADCL_SUCCESS) {
    for (int round = 0; round < 12; ++round) {
      double *line = arrays[round / 3 % 2];
      double *other = arrays[1 - round / 3 % 2];
      if (round % 3 == 0) {
        OK(ADCL_Vector_rebind(vec, line));
      }
      for (int i = 0; i < LINE; ++i) {
        line[i] = rank * 100 + i + round;
        other[i] = -1;
      }
      exchange(request, in_two_parts);
      CHECK(line[0] == left_of(rank, size) * 100 + LINE - 2 + round);
      CHECK(line[LINE - 1] == right_of(rank, size) * 100 + 1 + round);
      CHECK(other[0] == -1 && other[LINE - 1] == -1);
    }
    OK(ADCL_Request_free(&request));
  } else {
    CHECK(strstr(ADCL_Last_error(), "no codelet") != NULL);
  }
  OK(ADCL_Topology_free(&topo));
  OK(ADCL_Vmap_free(&vmap));
  OK(ADCL_Vector_deregister(&vec));
  OK(ADCL_Option_set("ADCL_CODELETS", ""));
  MPI_Comm_free(&comm);
}

/* One-way streams between two arrays: only the right neighbor receives. */
static void one_directional(void) {
  const int dims[1] = {LINE};
  const int size = harness_size();
  const int rank = harness_rank();
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  double out[LINE];
  double in[LINE];
  ADCL_Vector svec;
  ADCL_Vector rvec;
  ADCL_Vector seen[2];
  ADCL_Vmap vmap;
  ADCL_Topology topo;
  ADCL_Request request;
  OK(ADCL_Vector_register(1, dims, 0, MPI_DOUBLE, out, &svec));
  OK(ADCL_Vector_register(1, dims, 0, MPI_DOUBLE, in, &rvec));
  OK(ADCL_Vmap_halo_allocate(2, &vmap));
  OK(ADCL_Topology_create_generic(1, &left, &right, &rank, ADCL_DIRECTION_LEFT_TO_RIGHT, MPI_COMM_WORLD, &topo));
  OK(ADCL_Request_create_generic(svec, vmap, rvec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  OK(ADCL_Request_get_field(request, 0, &seen[0], &seen[1]));
  CHECK(seen[0] == svec && seen[1] == rvec);
  for (int round = 0; round < 300; ++round) {
    for (int i = 0; i < LINE; ++i) {
      out[i] = rank * 100 + i + round;
      in[i] = -1;
    }
    OK(ADCL_Request_start(request));
    for (int i = 0; i < LINE; ++i) {
      const int arrives = i < 2 && rank > 0;
      CHECK(in[i] == (arrives ? (rank - 1) * 100 + LINE - 4 + i + round : -1));
    }
  }
  OK(ADCL_Request_free(&request));
  OK(ADCL_Topology_free(&topo));
  OK(ADCL_Vmap_free(&vmap));
  OK(ADCL_Vector_deregister(&svec));
  OK(ADCL_Vector_deregister(&rvec));
}

/* The messages include the corners of a two-dimensional halo. */
static void extended(void) {
  const int dims[2] = {SIDE, SIDE};
  int grid[SIDE][SIDE];
  int coords[2];
  int cart_dims[2];
  int periods[2];
  int rank;
  MPI_Comm cart = harness_cart(2, 1);
  ADCL_Vector vec;
  ADCL_Vmap vmap;
  ADCL_Topology topo;
  ADCL_Request request;
  MPI_Comm_rank(cart, &rank);
  MPI_Cart_get(cart, 2, cart_dims, periods, coords);
  OK(ADCL_Vector_register(2, dims, 0, MPI_INT, grid, &vec));
  OK(ADCL_Vmap_halo_allocate(1, &vmap));
  OK(ADCL_Topology_create_extended(cart, &topo));
  OK(ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  for (int round = 0; round < 300; ++round) {
    for (int i = 0; i < SIDE; ++i) {
      for (int j = 0; j < SIDE; ++j) {
        grid[i][j] = rank * 1000 + round;
      }
    }
    OK(ADCL_Request_start(request));
    for (int i = 0; i < SIDE; i += SIDE - 1) {
      for (int j = 0; j < SIDE; j += SIDE - 1) {
        int corner[2] = {coords[0] + (i == 0 ? -1 : 1), coords[1] + (j == 0 ? -1 : 1)};
        int owner;
        MPI_Cart_rank(cart, corner, &owner);
        CHECK(grid[i][j] == owner * 1000 + round);
      }
    }
  }
  OK(ADCL_Request_free(&request));
  OK(ADCL_Topology_free(&topo));
  OK(ADCL_Vmap_free(&vmap));
  OK(ADCL_Vector_deregister(&vec));
  MPI_Comm_free(&cart);
}

/* Every rank sends its own point to all ranks, itself included. SMPI has no distributed graphs. */
#ifndef SMPI_H
static void graph(void) {
  const int size = harness_size();
  const int rank = harness_rank();
  const int dims[1] = {1 + size};
  int *values = malloc(sizeof(int) * (size_t)(1 + size));
  int *ranks = malloc(sizeof(int) * (size_t)size);
  int *ones = malloc(sizeof(int) * (size_t)size);
  int *zeros = calloc((size_t)size, sizeof(int));
  int *places = malloc(sizeof(int) * (size_t)size);
  MPI_Comm comm;
  ADCL_Vector vec;
  ADCL_Vmap vmap;
  ADCL_Topology topo;
  ADCL_Request request;
  for (int r = 0; r < size; ++r) {
    ranks[r] = r;
    ones[r] = 1;
    places[r] = 1 + r;
  }
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, size, ranks, ones, size, ranks, ones, MPI_INFO_NULL, 0, &comm);
  OK(ADCL_Vector_register(1, dims, 0, MPI_INT, values, &vec));
  OK(ADCL_Vmap_graph_allocate(size, ones, zeros, size, ones, places, &vmap));
  OK(ADCL_Topology_create(comm, 0, &topo));
  OK(ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  for (int round = 0; round < 300; ++round) {
    values[0] = rank + round;
    OK(ADCL_Request_start(request));
    for (int r = 0; r < size; ++r) {
      CHECK(values[1 + r] == r + round);
    }
  }
  OK(ADCL_Request_free(&request));
  OK(ADCL_Topology_free(&topo));
  OK(ADCL_Vmap_free(&vmap));
  OK(ADCL_Vector_deregister(&vec));
  MPI_Comm_free(&comm);
  free(values);
  free(ranks);
  free(ones);
  free(zeros);
  free(places);
}
#endif

struct counters {
  int mid;
  int end;
  int total;
};

static struct counters *counters_of(ADCL_Request request) {
  void *context = NULL;
  OK(ADCL_Request_get_context(request, &context));
  return context;
}

static void work_mid(ADCL_Request request) { ++counters_of(request)->mid; }
static void work_end(ADCL_Request request) { ++counters_of(request)->end; }
static void work_total(ADCL_Request request) { ++counters_of(request)->total; }

static void overlap_with_functions(void) {
  const int dims[1] = {LINE};
  const int size = harness_size();
  double line[LINE];
  struct counters counters = {0, 0, 0};
  MPI_Comm comm = ring();
  int rank;
  ADCL_Request request;
  MPI_Comm_rank(comm, &rank);
  OK(ADCL_Halo_init(ADCL_HALO(line, 1, dims, 0, 1, MPI_DOUBLE), comm, &request));
  OK(ADCL_Request_set_context(request, &counters));
  for (int round = 0; round < 500; ++round) {
    for (int i = 0; i < LINE; ++i) {
      line[i] = rank * 100 + i + round;
    }
    OK(ADCL_Request_start_overlap(request, work_mid, work_end, work_total));
    CHECK(line[0] == left_of(rank, size) * 100 + LINE - 2 + round);
  }
  CHECK(counters.mid == counters.end && counters.mid + counters.total == 500);
  CHECK(state_of(request) == ADCL_STATE_PRODUCTION);
  OK(ADCL_Request_free(&request));
  MPI_Comm_free(&comm);
}

static int calls[3][4];

/* One function for all codelets of the set; it reads its attribute values. */
static void configurable(ADCL_Request request) {
  int values[2] = {-1, -1};
  OK(ADCL_Request_get_attribute_values(request, 2, values));
  CHECK(values[0] >= 0 && values[0] < 3 && (values[1] == 1 || values[1] == 3));
  ++calls[values[0]][values[1]];
}

static void single_function_set(void) {
  const int first[3] = {0, 1, 2};
  const char *first_names[3] = {"a", "b", "c"};
  const int second[2] = {1, 3};
  const char *second_names[2] = {"x", "y"};
  const int excluded[4] = {1, 3, 2, 1};
  ADCL_Attribute attributes[2];
  ADCL_Attrset attrset;
  ADCL_Fnctset set;
  ADCL_Request request;
  char name[ADCL_MAX_NAME];
  int num;
  OK(ADCL_Attribute_create(3, first, first_names, "first", &attributes[0]));
  OK(ADCL_Attribute_create(2, second, second_names, "second", &attributes[1]));
  OK(ADCL_Attrset_create(2, attributes, &attrset));
  OK(ADCL_Fnctset_create_single(configurable, NULL, attrset, "mine", excluded, 2, &set));
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, ADCL_TOPOLOGY_NULL, set, &request));
  OK(ADCL_Request_get_functions_num(request, &num));
  CHECK(num == 4);
  OK(ADCL_Request_get_fsname(request, name, sizeof name));
  CHECK(strcmp(name, "mine") == 0);
  OK(ADCL_Request_get_statistics(request, 1, name, sizeof name, NULL, NULL, NULL, NULL));
  CHECK(strcmp(name, "mine_a_y") == 0);
  for (int i = 0; i < 100; ++i) {
    OK(ADCL_Request_start(request));
  }
  CHECK(calls[0][1] >= 10 && calls[0][3] >= 10 && calls[1][1] >= 10 && calls[2][3] >= 10);
  CHECK(calls[1][3] == 0 && calls[2][1] == 0);
  FAILS(ADCL_ERR_NO_CODELET, "nonblocking", ADCL_Request_init(request));
  OK(ADCL_Request_free(&request));
  OK(ADCL_Option_set("ADCL_OVERLAP_BLOCKING", "1"));
  OK(ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, ADCL_TOPOLOGY_NULL, set, &request));
  OK(ADCL_Request_init(request));
  num = calls[0][1];
  OK(ADCL_Request_wait(request)); /* a blocking codelet runs completely in wait */
  CHECK(calls[0][1] == num + 1);
  OK(ADCL_Request_free(&request));
  OK(ADCL_Option_set("ADCL_OVERLAP_BLOCKING", "0"));
  OK(ADCL_Fnctset_free(&set));
  OK(ADCL_Attrset_free(&attrset));
  OK(ADCL_Attribute_free(&attributes[0]));
  OK(ADCL_Attribute_free(&attributes[1]));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  harness_seed();
  harness_any_search();
  rebound_array(0);
  harness_any_search();
  rebound_array(1);
  rebound_array_of_bound_winner("neighborhood:Persist_aao", 0);
  rebound_array_of_bound_winner("neighborhood:Persist_aao", 1);
  rebound_array_of_bound_winner("neighborhood:WinfencePut_aao", 0);
  harness_any_search();
  one_directional();
  harness_any_search();
  extended();
  harness_any_search();
#ifndef SMPI_H
  graph();
#endif
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "3"));
  overlap_with_functions();
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "10"));
  single_function_set();
  OK(ADCL_Finalize());
  return harness_verdict();
}
