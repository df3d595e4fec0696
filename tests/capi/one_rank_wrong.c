/* ranks: 2 3 4
 * timeout: 240
 * A mistake on one rank is the same error on all ranks: no hang, no crash, and afterwards everything still works. */
#include "harness.h"

#define SIDE 10

static double data[SIDE * SIDE];
static MPI_Comm cart;
static ADCL_Topology topo;
static ADCL_Vmap vmap;
static ADCL_Vector vec;

static int odd_one_out(void) { return harness_rank() == harness_size() - 1; }

/* All ranks have the same code and the same message. */
static void same_everywhere(int code, int expected, const char *part) {
  int range[2] = {code, -code};
  char message[1024] = {0};
  char first[1024] = {0};
  CHECK(code == expected);
  strncpy(message, ADCL_Last_error(), sizeof message - 1);
  memcpy(first, message, sizeof first);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  CHECK(strcmp(message, first) == 0);
  if (strstr(message, part) == NULL) {
    fprintf(stderr, "message: %s\n", message);
  }
  CHECK(strstr(message, part) != NULL);
  MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  CHECK(range[0] == -range[1]);
}

static int create(ADCL_Vector vector, ADCL_Vmap map, ADCL_Topology topology) {
  ADCL_Request request = ADCL_REQUEST_NULL;
  int code = ADCL_Request_create(vector, map, topology, ADCL_FNCTSET_NEIGHBORHOOD, &request);
  CHECK((request == ADCL_REQUEST_NULL) == (code != ADCL_SUCCESS));
  if (code == ADCL_SUCCESS) {
    OK(ADCL_Request_free(&request));
  }
  return code;
}

static void another_halo_width(void) {
  ADCL_Vmap mine;
  OK(ADCL_Vmap_halo_allocate(odd_one_out() ? 2 : 1, &mine));
  same_everywhere(create(vec, mine, topo), ADCL_ERR_MISMATCH, "halo widths");
  OK(ADCL_Vmap_free(&mine));
}

static void another_block_size(void) {
  const int dims[2] = {SIDE, odd_one_out() ? SIDE - 1 : SIDE};
  ADCL_Vector mine;
  OK(ADCL_Vector_register(2, dims, 0, MPI_DOUBLE, data, &mine));
  same_everywhere(create(mine, vmap, topo), ADCL_ERR_MISMATCH, "block sizes");
  OK(ADCL_Vector_deregister(&mine));
}

static void a_halo_that_is_too_wide(void) {
  ADCL_Vmap mine;
  OK(ADCL_Vmap_halo_allocate(odd_one_out() ? 5 : 1, &mine));
  same_everywhere(create(vec, mine, topo), ADCL_ERR_ARGUMENT, "too wide");
  OK(ADCL_Vmap_free(&mine));
}

static void another_number_of_dimensions(void) {
  const int dims[3] = {SIDE, SIDE, 1};
  ADCL_Vector mine;
  OK(ADCL_Vector_register(odd_one_out() ? 3 : 2, dims, 0, MPI_DOUBLE, data, &mine));
  same_everywhere(create(mine, vmap, topo), ADCL_ERR_ARGUMENT, "3 dimensions");
  OK(ADCL_Vector_deregister(&mine));
}

static void freed_handles(void) {
  ADCL_Vector vector;
  ADCL_Vector old_vector;
  ADCL_Vmap map;
  ADCL_Vmap old_map;
  ADCL_Topology topology;
  ADCL_Topology old_topology;
  const int dims[2] = {SIDE, SIDE};
  OK(ADCL_Vector_register(2, dims, 0, MPI_DOUBLE, data, &vector));
  old_vector = vector;
  OK(ADCL_Vector_deregister(&vector));
  same_everywhere(create(odd_one_out() ? old_vector : vec, vmap, topo), ADCL_ERR_HANDLE, "vector");
  OK(ADCL_Vmap_halo_allocate(1, &map));
  old_map = map;
  OK(ADCL_Vmap_free(&map));
  same_everywhere(create(vec, odd_one_out() ? old_map : vmap, topo), ADCL_ERR_HANDLE, "vmap");
  OK(ADCL_Topology_create(cart, 0, &topology));
  old_topology = topology;
  OK(ADCL_Topology_free(&topology));
  same_everywhere(create(vec, vmap, odd_one_out() ? old_topology : topo), ADCL_ERR_HANDLE, "topo");
}

static void no_topology(void) {
  same_everywhere(create(vec, vmap, odd_one_out() ? ADCL_TOPOLOGY_NULL : topo), ADCL_ERR_HANDLE, "topo");
  same_everywhere(create(vec, vmap, odd_one_out() ? (ADCL_Topology)vec : topo), ADCL_ERR_HANDLE, "topo");
}

static void null_pointers(void) {
  ADCL_Request request = ADCL_REQUEST_NULL;
  ADCL_Topology topology = ADCL_TOPOLOGY_NULL;
  const int dims[2] = {SIDE, SIDE};
  same_everywhere(ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, odd_one_out() ? NULL : &request),
                  ADCL_ERR_ARGUMENT, "req is a null pointer");
  same_everywhere(ADCL_Topology_create(cart, 0, odd_one_out() ? NULL : &topology), ADCL_ERR_ARGUMENT,
                  "topo is a null pointer");
  same_everywhere(ADCL_Halo_init(odd_one_out() ? NULL : data, 2, dims, 0, 1, MPI_DOUBLE, cart, &request),
                  ADCL_ERR_ARGUMENT, "data is a null pointer");
  same_everywhere(ADCL_Halo_init(data, 2, odd_one_out() ? NULL : dims, 0, 1, MPI_DOUBLE, cart, &request),
                  ADCL_ERR_ARGUMENT, "dims is a null pointer");
}

static void an_uncommitted_datatype(void) {
  MPI_Datatype type;
  ADCL_Request request = ADCL_REQUEST_NULL;
  const int dims[2] = {SIDE, SIDE};
  MPI_Type_contiguous(8, MPI_BYTE, &type);
  if (!odd_one_out()) {
    MPI_Type_commit(&type);
  }
  same_everywhere(ADCL_Halo_init(data, 2, dims, 0, 1, type, cart, &request), ADCL_ERR_TYPE, "MPI_Type_commit");
  MPI_Type_free(&type);
}

static void neighbours_that_do_not_know_each_other(void) {
  const int rank = harness_rank();
  const int size = harness_size();
  const int left = (rank + size - 1) % size;
  const int right = odd_one_out() ? MPI_PROC_NULL : (rank + 1) % size;
  ADCL_Topology topology = ADCL_TOPOLOGY_NULL;
  same_everywhere(ADCL_Topology_create_generic(1, &left, &right, NULL, ADCL_DIRECTION_BOTH, MPI_COMM_WORLD, &topology),
                  ADCL_ERR_MISMATCH, "do not fit together");
  CHECK(topology == ADCL_TOPOLOGY_NULL);
}

static void another_function_set(void) {
  ADCL_Request request = ADCL_REQUEST_NULL;
  same_everywhere(
      ADCL_Request_create(vec, vmap, topo, odd_one_out() ? ADCL_FNCTSET_NULL : ADCL_FNCTSET_NEIGHBORHOOD, &request),
      ADCL_ERR_HANDLE, "set");
}

static void a_codelet_that_does_not_exist(void) {
  ADCL_Request request = ADCL_REQUEST_NULL;
  const int dims[2] = {SIDE, SIDE};
  /* rank 0's options hold everywhere, so that all ranks hear of its mistake */
  OK(ADCL_Option_set("ADCL_CODELETS", harness_rank() == 0 ? "neighborhood:IsIr_aoa" : ""));
  same_everywhere(ADCL_Halo_init(data, 2, dims, 0, 1, MPI_DOUBLE, cart, &request), ADCL_ERR_OPTION, "IsIr_aao");
  OK(ADCL_Option_set("ADCL_CODELETS", ""));
}

static void still_works(void) {
  ADCL_Request request = ADCL_REQUEST_NULL;
  OK(ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  for (int i = 0; i < 5; ++i) {
    OK(ADCL_Request_start(request));
  }
  OK(ADCL_Request_free(&request));
}

int main(int argc, char **argv) {
  const int dims[2] = {SIDE, SIDE};
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  cart = harness_cart(2, 1);
  OK(ADCL_Topology_create(cart, 0, &topo));
  OK(ADCL_Vmap_halo_allocate(1, &vmap));
  OK(ADCL_Vector_register(2, dims, 0, MPI_DOUBLE, data, &vec));
  another_halo_width();
  another_block_size();
  a_halo_that_is_too_wide();
  another_number_of_dimensions();
  freed_handles();
  no_topology();
  null_pointers();
  an_uncommitted_datatype();
  neighbours_that_do_not_know_each_other();
  another_function_set();
  a_codelet_that_does_not_exist();
  still_works();
  OK(ADCL_Vector_deregister(&vec));
  OK(ADCL_Vmap_free(&vmap));
  OK(ADCL_Topology_free(&topo));
  MPI_Comm_free(&cart);
  OK(ADCL_Finalize());
  return harness_verdict();
}
