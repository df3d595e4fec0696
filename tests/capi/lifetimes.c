/* ranks: 1 2 3 4
 * valgrind: 1
 * timeout: 300
 * Many objects, freed in any order, without leaks; ADCL 1.x crashed or leaked here. */
#include "harness.h"

#define SIDE 6
#define LIVE 1000

static double data[SIDE * SIDE];

/* False when the time limit is over: MPI libraries that spin are slow when oversubscribed. A part of this test then
 * ends early, at the same round on all ranks. */
static int in_time(double begin) {
  int in_time = MPI_Wtime() - begin < 12.0 * harness_share();
  MPI_Bcast(&in_time, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return in_time;
}

static ADCL_Request halo(MPI_Comm cart) {
  const int dims[2] = {SIDE, SIDE};
  ADCL_Request request = ADCL_REQUEST_NULL;
  OK(ADCL_Halo_init(ADCL_HALO(data, 2, dims, 0, 1, MPI_DOUBLE), cart, &request));
  return request;
}

/* A vector freed before its request crashed ADCL 1.x. */
static void vector_freed_first(MPI_Comm cart) {
  const int dims[2] = {SIDE, SIDE};
  double *memory;
  ADCL_Vector vec;
  ADCL_Vmap vmap;
  ADCL_Topology topo;
  ADCL_Request request;
  OK(ADCL_Vector_allocate(2, dims, 0, MPI_DOUBLE, &memory, &vec));
  OK(ADCL_Vmap_halo_allocate(1, &vmap));
  OK(ADCL_Topology_create(cart, 0, &topo));
  OK(ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  OK(ADCL_Vector_free(&vec));
  OK(ADCL_Vmap_free(&vmap));
  OK(ADCL_Topology_free(&topo));
  for (int i = 0; i < 3; ++i) {
    memory[0] = i; /* the memory lives as long as the request */
    OK(ADCL_Request_start(request));
  }
  OK(ADCL_Request_free(&request));
}

/* The application may free the communicator and the datatype before the request. */
static void communicator_and_type_freed_first(void) {
  const int dims[1] = {12};
  int values[24];
  int size = harness_size();
  int periodic = 1;
  MPI_Comm ring;
  MPI_Datatype pair;
  ADCL_Request request;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  OK(ADCL_Halo_init(ADCL_HALO(values, 1, dims, 0, 1, pair), ring, &request));
  MPI_Type_free(&pair);
  MPI_Comm_free(&ring);
  for (int i = 0; i < 24; ++i) {
    values[i] = 100 * harness_rank() + i;
  }
  OK(ADCL_Request_start(request));
  CHECK(values[0] == 100 * ((harness_rank() + size - 1) % size) + 20);
  CHECK(values[23] == 100 * ((harness_rank() + 1) % size) + 3);
  OK(ADCL_Request_free(&request));
}

static void many_live_requests(MPI_Comm cart) {
  static ADCL_Request requests[LIVE];
  const double begin = MPI_Wtime();
  int live = 0;
  while (live < LIVE && (live % 50 != 0 || in_time(begin))) {
    requests[live++] = halo(cart);
  }
  CHECK(live >= 50);
  for (int r = 0; r < live; ++r) {
    OK(ADCL_Request_start(requests[r]));
  }
  for (int r = live - 1; r >= 0; --r) {
    OK(ADCL_Request_free(&requests[r]));
  }
}

/* More communicators than an MPI library has context ids: the library frees all of its communicators. */
static void many_communicators(void) {
  int size = harness_size();
  int periodic = 0;
  const double begin = MPI_Wtime();
  for (int i = 0; i < 2500 && (i % 50 != 0 || in_time(begin)); ++i) {
    const int dims[1] = {4};
    MPI_Comm line;
    ADCL_Request request;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &line);
    if (i % 50 == 0) {
      OK(ADCL_Halo_init(ADCL_HALO(data, 1, dims, 0, 1, MPI_DOUBLE), line, &request));
      OK(ADCL_Request_start(request));
      OK(ADCL_Request_free(&request));
    } else {
      ADCL_Topology topo;
      OK(ADCL_Topology_create(line, 0, &topo));
      OK(ADCL_Topology_free(&topo));
    }
    MPI_Comm_free(&line);
  }
}

/* Tags and table entries are reused: otherwise the tags would exceed MPI_TAG_UB. */
static void repeated_creation(MPI_Comm cart) {
  const double begin = MPI_Wtime();
  for (int i = 0; i < 3000 && (i % 50 != 0 || in_time(begin)); ++i) {
    ADCL_Request request = halo(cart);
    if (i % 500 == 0) {
      OK(ADCL_Request_start(request));
    }
    OK(ADCL_Request_free(&request));
  }
}

/* ADCL_Finalize frees the objects that the application forgot, also if ADCL_Init follows again. */
static void forgotten_objects(void) {
  MPI_Comm cart = harness_cart(2, 1);
  ADCL_Request first = halo(cart);
  ADCL_Request second = halo(cart);
  OK(ADCL_Request_start(first));
  OK(ADCL_Request_start(second));
  OK(ADCL_Finalize());
  FAILS(ADCL_ERR_NOT_INITIALIZED, "ADCL_Init", ADCL_Request_start(first));
  OK(ADCL_Init());
  FAILS(ADCL_ERR_HANDLE, "not a valid", ADCL_Request_start(first));
  MPI_Comm_free(&cart);
}

int main(int argc, char **argv) {
  MPI_Comm cart;
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  OK(ADCL_Init());
  OK(ADCL_Finalize());
  harness_seed();
  harness_any_search();
  cart = harness_cart(2, 1);
  vector_freed_first(cart);
  communicator_and_type_freed_first();
  many_live_requests(cart);
  many_communicators();
  repeated_creation(cart);
  MPI_Comm_free(&cart);
  forgotten_objects();
  OK(ADCL_Finalize());
  return harness_verdict();
}
