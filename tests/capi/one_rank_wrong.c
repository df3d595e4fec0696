/* ranks: 2 3 4
 * timeout: 240
 * A wrong argument on one rank is the same error on all ranks, or a local error if the communicator is unknown.
 * Nothing hangs or crashes, and later calls still work. */
#include "harness.h"

#define SIDE 10

static double data[SIDE * SIDE];
static MPI_Comm cart;
static ADCL_Topology topo;
static ADCL_Vmap vmap;
static ADCL_Vector vec;

static int is_last_rank(void) { return harness_rank() == harness_size() - 1; }

/* All ranks have the same code and the same message. */
static void expect_same_error(int code, int expected, const char *part) {
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

static void different_halo_width(void) {
  ADCL_Vmap mine;
  OK(ADCL_Vmap_halo_allocate(is_last_rank() ? 2 : 1, &mine));
  expect_same_error(create(vec, mine, topo), ADCL_ERR_MISMATCH, "halo widths");
  OK(ADCL_Vmap_free(&mine));
}

static void different_block_size(void) {
  const int dims[2] = {SIDE, is_last_rank() ? SIDE - 1 : SIDE};
  ADCL_Vector mine;
  OK(ADCL_Vector_register(2, dims, 0, MPI_DOUBLE, data, &mine));
  expect_same_error(create(mine, vmap, topo), ADCL_ERR_MISMATCH, "block sizes");
  OK(ADCL_Vector_deregister(&mine));
}

/* Messages of equal length whose regions or types differ. The first dimension of the grid has one process: the last
 * process shares only faces of the second dimension with its neighbors. */
static void equal_length_messages(const int *dims, int nc, const int *widths, MPI_Datatype type, const char *part) {
  const int usual_dims[2] = {SIDE, SIDE};
  const int usual_widths[2] = {1, 1};
  const int cart_dims[2] = {1, harness_size()};
  const int periods[2] = {0, 1};
  const int odd = is_last_rank();
  ADCL_Vmap map;
  ADCL_Vector mine;
  ADCL_Topology topology;
  MPI_Comm row;
  MPI_Cart_create(MPI_COMM_WORLD, 2, cart_dims, periods, 0, &row);
  OK(ADCL_Vmap_halo_allocate_generic(2, odd ? widths : usual_widths, odd ? widths : usual_widths, &map));
  OK(ADCL_Vector_register(2, odd ? dims : usual_dims, odd ? nc : 0, odd ? type : MPI_DOUBLE, data, &mine));
  OK(ADCL_Topology_create(row, 0, &topology));
  if (part != NULL) {
    expect_same_error(create(mine, map, topology), ADCL_ERR_MISMATCH, part);
  } else {
    CHECK(create(mine, map, topology) == ADCL_SUCCESS);
  }
  OK(ADCL_Topology_free(&topology));
  OK(ADCL_Vector_deregister(&mine));
  OK(ADCL_Vmap_free(&map));
  MPI_Comm_free(&row);
}

static void equal_lengths(void) {
  const int usual[2] = {SIDE, SIDE};
  const int usual_widths[2] = {1, 1};
  const int half[2] = {2 + (SIDE - 2) / 2, SIDE}; /* half the rows, with a halo twice as wide */
  const int twice_widths[2] = {1, 2};
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {0, sizeof(double)};
  const MPI_Datatype one_each[2] = {MPI_DOUBLE, MPI_LONG_LONG};
  MPI_Datatype single, words, pair;
  equal_length_messages(half, 0, twice_widths, MPI_DOUBLE, "another shape");
  equal_length_messages(half, 2, usual_widths, MPI_DOUBLE, "another shape");
  equal_length_messages(usual, 0, usual_widths, MPI_LONG_LONG, "other datatypes");
  equal_length_messages(usual, 2, usual_widths, MPI_FLOAT, "other datatypes");
  MPI_Type_create_struct(2, lengths, places, one_each, &pair);
  MPI_Type_commit(&pair);
  equal_length_messages(half, 0, usual_widths, pair, "another shape");
  MPI_Type_free(&pair);
  MPI_Type_contiguous(1, MPI_DOUBLE, &single);
  MPI_Type_commit(&single);
  equal_length_messages(usual, 1, usual_widths, single, NULL); /* an equivalent type */
  MPI_Type_free(&single);
  MPI_Type_contiguous(2, MPI_FLOAT, &words);
  MPI_Type_commit(&words);
  equal_length_messages(usual, 0, usual_widths, words, "other datatypes");
  MPI_Type_free(&words);
}

/* A face of 3 x 4 points differs between the storage orders; a line of points is the same in both. */
static void storage_orders(void) {
  const int faces[3] = {4, 5, 6};
  const int lines[3] = {4, 3, 6};
  const int cart_dims[3] = {harness_size(), 1, 1};
  const int periods[3] = {1, 0, 0};
  const int order = is_last_rank() ? ADCL_ORDER_FORTRAN : ADCL_ORDER_C;
  ADCL_Halo halo;
  ADCL_Request request = ADCL_REQUEST_NULL;
  MPI_Comm column;
  MPI_Cart_create(MPI_COMM_WORLD, 3, cart_dims, periods, 0, &column);
  halo = *ADCL_HALO(data, 3, faces, 0, 1, MPI_CHAR);
  halo.order = order;
  expect_same_error(ADCL_Halo_init(&halo, column, &request), ADCL_ERR_MISMATCH, "storage orders");
  halo.dims = lines;
  OK(ADCL_Halo_init(&halo, column, &request));
  OK(ADCL_Request_free(&request));
  MPI_Comm_free(&column);
}

/* Function sets of the application that differ between ranks. */
static void user_set(const char *const *names, const int *values, int in_parts, int sharing, const char *part) {
  const int known[2] = {0, 1};
  const char *const known_names[2] = {"small", "large"};
  ADCL_Attribute attribute;
  ADCL_Attrset attrset;
  ADCL_Function functions[2];
  ADCL_Fnctset set;
  ADCL_Request request = ADCL_REQUEST_NULL;
  int code;
  OK(ADCL_Attribute_create(2, known, known_names, "size", &attribute));
  OK(ADCL_Attrset_create(1, &attribute, &attrset));
  for (int i = 0; i < 2; ++i) {
    if (in_parts) {
      OK(ADCL_Function_create_async(no_work, no_work, attrset, &values[i], names[i], &functions[i]));
    } else {
      OK(ADCL_Function_create(no_work, attrset, &values[i], names[i], &functions[i]));
    }
  }
  OK(ADCL_Fnctset_create(2, functions, "mine", &set));
  OK(ADCL_Fnctset_set_sharing(set, sharing));
  code = ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, topo, set, &request);
  if (part != NULL) {
    expect_same_error(code, ADCL_ERR_MISMATCH, part);
  } else {
    CHECK(code == ADCL_SUCCESS);
  }
  if (code == ADCL_SUCCESS) {
    for (int i = 0; i < 30; ++i) {
      OK(ADCL_Request_start(request));
    }
    OK(ADCL_Request_free(&request));
  }
  OK(ADCL_Fnctset_free(&set));
  for (int i = 0; i < 2; ++i) {
    OK(ADCL_Function_free(&functions[i]));
  }
  OK(ADCL_Attrset_free(&attrset));
  OK(ADCL_Attribute_free(&attribute));
}

static void different_user_sets(void) {
  static const char *const names[2] = {"first", "second"};
  static const char *const exchanged[2] = {"second", "first"};
  static const char *const renamed[2] = {"first", "third"};
  const int values[2] = {0, 1};
  const int others[2] = {1, 0};
  const int odd = is_last_rank();
  user_set(names, values, 0, 0, NULL);
  user_set(odd ? exchanged : names, values, 0, 0, "function sets of the ranks");
  user_set(odd ? renamed : names, values, 0, 0, "function sets of the ranks");
  user_set(names, odd ? others : values, 0, 0, "function sets of the ranks");
  user_set(names, values, odd, 0, "function sets of the ranks");
  user_set(names, values, 0, odd, "function sets of the ranks");
}

static void halo_too_wide(void) {
  ADCL_Vmap mine;
  OK(ADCL_Vmap_halo_allocate(is_last_rank() ? 5 : 1, &mine));
  expect_same_error(create(vec, mine, topo), ADCL_ERR_ARGUMENT, "too wide");
  OK(ADCL_Vmap_free(&mine));
}

static void different_ndims(void) {
  const int dims[3] = {SIDE, SIDE, 1};
  ADCL_Vector mine;
  OK(ADCL_Vector_register(is_last_rank() ? 3 : 2, dims, 0, MPI_DOUBLE, data, &mine));
  expect_same_error(create(mine, vmap, topo), ADCL_ERR_ARGUMENT, "3 dimensions");
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
  expect_same_error(create(is_last_rank() ? old_vector : vec, vmap, topo), ADCL_ERR_HANDLE, "vector");
  OK(ADCL_Vmap_halo_allocate(1, &map));
  old_map = map;
  OK(ADCL_Vmap_free(&map));
  expect_same_error(create(vec, is_last_rank() ? old_map : vmap, topo), ADCL_ERR_HANDLE, "vmap");
  OK(ADCL_Topology_create(cart, 0, &topology));
  old_topology = topology;
  OK(ADCL_Topology_free(&topology));
  expect_same_error(create(vec, vmap, is_last_rank() ? old_topology : topo), ADCL_ERR_HANDLE, "topo");
}

/* Without a topology, the library does not know the participating ranks. Only the rank with the wrong argument gets an
 * error, without communication, although all topologies are on one communicator. */
static void no_topology(void) {
  const uint32_t never = 0x18000000u + (7u << 16) + 77u;
  const ADCL_Topology wrong[3] = {ADCL_TOPOLOGY_NULL, (ADCL_Topology)vec, (ADCL_Topology)(intptr_t)never};
  const char *const parts[3] = {"topo is ADCL_TOPOLOGY_NULL", "is not a valid ADCL_Topology",
                                "is not a valid ADCL_Topology"};
  for (int i = 0; i < 3; ++i) {
    if (is_last_rank()) {
      ADCL_Request request = ADCL_REQUEST_NULL;
      FAILS(ADCL_ERR_HANDLE, parts[i], ADCL_Request_create(vec, vmap, wrong[i], ADCL_FNCTSET_NEIGHBORHOOD, &request));
      FAILS(ADCL_ERR_HANDLE, "set is the null", ADCL_Request_create(vec, vmap, wrong[i], ADCL_FNCTSET_NULL, &request));
      CHECK(request == ADCL_REQUEST_NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(create(vec, vmap, topo) == ADCL_SUCCESS);
  }
}

/* Ranks that wait for the rank without a topology continue as soon as it calls with a valid topology. */
static void retry_with_topology(void) {
  ADCL_Request request = ADCL_REQUEST_NULL;
  if (is_last_rank()) {
    FAILS(ADCL_ERR_HANDLE, "topo",
          ADCL_Request_create(vec, vmap, ADCL_TOPOLOGY_NULL, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  }
  OK(ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  OK(ADCL_Request_start(request));
  OK(ADCL_Request_free(&request));
}

static void null_pointers(void) {
  ADCL_Request request = ADCL_REQUEST_NULL;
  ADCL_Topology topology = ADCL_TOPOLOGY_NULL;
  const int dims[2] = {SIDE, SIDE};
  expect_same_error(ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, is_last_rank() ? NULL : &request),
                    ADCL_ERR_ARGUMENT, "req is a null pointer");
  expect_same_error(ADCL_Topology_create(cart, 0, is_last_rank() ? NULL : &topology), ADCL_ERR_ARGUMENT,
                    "topo is a null pointer");
  expect_same_error(ADCL_Halo_init(ADCL_HALO(is_last_rank() ? NULL : data, 2, dims, 0, 1, MPI_DOUBLE), cart, &request),
                    ADCL_ERR_ARGUMENT, "buf is a null pointer");
  expect_same_error(ADCL_Halo_init(ADCL_HALO(data, 2, is_last_rank() ? NULL : dims, 0, 1, MPI_DOUBLE), cart, &request),
                    ADCL_ERR_ARGUMENT, "dims is a null pointer");
}

static void uncommitted_datatype(void) {
  MPI_Datatype type;
  ADCL_Request request = ADCL_REQUEST_NULL;
  const int dims[2] = {SIDE, SIDE};
  MPI_Type_contiguous(8, MPI_BYTE, &type);
  if (!is_last_rank()) {
    MPI_Type_commit(&type);
  }
  expect_same_error(ADCL_Halo_init(ADCL_HALO(data, 2, dims, 0, 1, type), cart, &request), ADCL_ERR_TYPE,
                    "MPI_Type_commit");
  MPI_Type_free(&type);
}

static void unmatched_neighbors(void) {
  const int rank = harness_rank();
  const int size = harness_size();
  const int left = (rank + size - 1) % size;
  const int right = is_last_rank() ? MPI_PROC_NULL : (rank + 1) % size;
  ADCL_Topology topology = ADCL_TOPOLOGY_NULL;
  expect_same_error(
      ADCL_Topology_create_generic(1, &left, &right, NULL, ADCL_DIRECTION_BOTH, MPI_COMM_WORLD, &topology),
      ADCL_ERR_MISMATCH, "do not match");
  CHECK(topology == ADCL_TOPOLOGY_NULL);
}

static void different_function_set(void) {
  ADCL_Request request = ADCL_REQUEST_NULL;
  expect_same_error(
      ADCL_Request_create(vec, vmap, topo, is_last_rank() ? ADCL_FNCTSET_NULL : ADCL_FNCTSET_NEIGHBORHOOD, &request),
      ADCL_ERR_HANDLE, "set");
}

static void unknown_codelet(void) {
  ADCL_Request request = ADCL_REQUEST_NULL;
  const int dims[2] = {SIDE, SIDE};
  /* rank 0's options apply to all ranks, so all ranks get its error */
  OK(ADCL_Option_set("ADCL_CODELETS", harness_rank() == 0 ? "neighborhood:IsIr_aoa" : ""));
  expect_same_error(ADCL_Halo_init(ADCL_HALO(data, 2, dims, 0, 1, MPI_DOUBLE), cart, &request), ADCL_ERR_OPTION,
                    "IsIr_aao");
  OK(ADCL_Option_set("ADCL_CODELETS", ""));
}

static void valid_calls_work(void) {
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
  different_halo_width();
  different_block_size();
  equal_lengths();
  storage_orders();
  different_user_sets();
  halo_too_wide();
  different_ndims();
  freed_handles();
  no_topology();
  retry_with_topology();
  null_pointers();
  uncommitted_datatype();
  unmatched_neighbors();
  different_function_set();
  unknown_codelet();
  valid_calls_work();
  OK(ADCL_Vector_deregister(&vec));
  OK(ADCL_Vmap_free(&vmap));
  OK(ADCL_Topology_free(&topo));
  MPI_Comm_free(&cart);
  OK(ADCL_Finalize());
  return harness_verdict();
}
