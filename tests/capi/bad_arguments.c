/* ranks: 1 2 3 4
 * timeout: 240
 * valgrind: 1
 * Every function of the interface with wrong arguments: it returns the right code, its message names the wrong
 * argument, and it does not crash. */
#include "harness.h"

static void codelet(ADCL_Request request) { (void)request; }

static void before_init(void) {
  ADCL_Vmap vmap;
  int flag = -1;
  int major;
  int minor;
  int patch;
  char value[ADCL_MAX_NAME];
  OK(ADCL_Initialized(&flag));
  CHECK(flag == 0);
  OK(ADCL_Get_version(&major, &minor, &patch));
  CHECK(major == ADCL_VERSION_MAJOR && minor == ADCL_VERSION_MINOR && patch == ADCL_VERSION_PATCH);
  FAILS(ADCL_ERR_NOT_INITIALIZED, "ADCL_Init", ADCL_Vmap_halo_allocate(1, &vmap));
  FAILS(ADCL_ERR_NOT_INITIALIZED, "ADCL_Init", ADCL_Finalize());
  FAILS(ADCL_ERR_NOT_INITIALIZED, "ADCL_Init", ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  FAILS(ADCL_ERR_NOT_INITIALIZED, "ADCL_Init", ADCL_Option_get("ADCL_SEARCH", value, sizeof value));
  FAILS(ADCL_ERR_NOT_INITIALIZED, "ADCL_Init", ADCL_Request_start(ADCL_REQUEST_NULL));
}

static void environment(void) {
  char value[ADCL_MAX_NAME];
  int number;
  FAILS(ADCL_ERR_ARGUMENT, "flag", ADCL_Initialized(NULL));
  FAILS(ADCL_ERR_ARGUMENT, "minor", ADCL_Get_version(&number, NULL, &number));
  FAILS(ADCL_ERR_ARGUMENT, "name", ADCL_Option_set(NULL, "1"));
  FAILS(ADCL_ERR_ARGUMENT, "value", ADCL_Option_set("ADCL_SEARCH", NULL));
  FAILS(ADCL_ERR_OPTION, "ADCL_SEARCH", ADCL_Option_set("ADCL_SERCH", "brute_force"));
  REFUSES(ADCL_ERR_OPTION, "ADCL_SEARCH=brute_farce", "did you mean brute_force",
          ADCL_Option_set("ADCL_SEARCH", "brute_farce"));
  REFUSES(ADCL_ERR_OPTION, "ADCL_MEASUREMENTS=2.5", "a whole number from 1",
          ADCL_Option_set("ADCL_MEASUREMENTS", "2.5"));
  REFUSES(ADCL_ERR_OPTION, "ADCL_MEASUREMENTS=0", "a whole number from 1", ADCL_Option_set("ADCL_MEASUREMENTS", "0"));
  REFUSES(ADCL_ERR_OPTION, "ADCL_MONITOR=-5", "a whole number from 0 to 1000000000, or auto",
          ADCL_Option_set("ADCL_MONITOR", "-5"));
  REFUSES(ADCL_ERR_OPTION, "ADCL_OUTLIER_FRACTION=many", "a number from 0 to 1",
          ADCL_Option_set("ADCL_OUTLIER_FRACTION", "many"));
  REFUSES(ADCL_ERR_OPTION, "ADCL_MERGE_REQUESTS=yes", "expected 0 or 1", ADCL_Option_set("ADCL_MERGE_REQUESTS", "yes"));
  FAILS(ADCL_ERR_OPTION, "set:name", ADCL_Option_set("ADCL_CODELETS", "IsIr_aao"));
  FAILS(ADCL_ERR_OPTION, "ADCL_SEARCH", ADCL_Option_get("ADCL_SEARC", value, sizeof value));
  FAILS(ADCL_ERR_ARGUMENT, "room", ADCL_Option_get("ADCL_SEARCH", value, 3));
  FAILS(ADCL_ERR_ARGUMENT, "value", ADCL_Option_get("ADCL_SEARCH", NULL, 100));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "3"));
  OK(ADCL_Option_get("ADCL_MEASUREMENTS", value, sizeof value));
  CHECK(strcmp(value, "3") == 0);
  FAILS(ADCL_ERR_ARGUMENT, "has room for 1 bytes, but the text needs 2",
        ADCL_Option_get("ADCL_MEASUREMENTS", value, 1));
  OK(ADCL_Option_get("ADCL_MEASUREMENTS", value, 2));
  CHECK(ADCL_Error_string(ADCL_SUCCESS) != NULL && ADCL_Error_string(-17) != NULL && ADCL_Error_string(999) != NULL);
}

static void vmaps(void) {
  const int widths[2] = {1, 2};
  const int negative[2] = {1, -2};
  const int points[2] = {0, 1};
  ADCL_Vmap vmap = ADCL_VMAP_NULL;
  ADCL_Vmap copy;
  FAILS(ADCL_ERR_ARGUMENT, "hwidth is -1", ADCL_Vmap_halo_allocate(-1, &vmap));
  FAILS(ADCL_ERR_ARGUMENT, "vmap", ADCL_Vmap_halo_allocate(1, NULL));
  FAILS(ADCL_ERR_ARGUMENT, "ndims is 0", ADCL_Vmap_halo_allocate_generic(0, widths, widths, &vmap));
  FAILS(ADCL_ERR_ARGUMENT, "lwidths", ADCL_Vmap_halo_allocate_generic(2, NULL, widths, &vmap));
  FAILS(ADCL_ERR_ARGUMENT, "rwidths[1] is -2", ADCL_Vmap_halo_allocate_generic(2, widths, negative, &vmap));
  FAILS(ADCL_ERR_ARGUMENT, "-1", ADCL_Vmap_graph_allocate(-1, NULL, NULL, 0, NULL, NULL, &vmap));
  FAILS(ADCL_ERR_ARGUMENT, "counts", ADCL_Vmap_graph_allocate(2, NULL, points, 0, NULL, NULL, &vmap));
  FAILS(ADCL_ERR_ARGUMENT, "-2", ADCL_Vmap_graph_allocate(2, negative, points, 0, NULL, NULL, &vmap));
  FAILS(ADCL_ERR_ARGUMENT, "rindices", ADCL_Vmap_graph_allocate(0, NULL, NULL, 2, widths, NULL, &vmap));
  FAILS(ADCL_ERR_ARGUMENT, "vmap", ADCL_Vmap_free(NULL));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first", ADCL_Vmap_free(&vmap));
  OK(ADCL_Vmap_halo_allocate(1, &vmap));
  copy = vmap;
  OK(ADCL_Vmap_free(&vmap));
  CHECK(vmap == ADCL_VMAP_NULL);
  REFUSES(ADCL_ERR_HANDLE, ") is not a valid ADCL_", "it was freed, was never created, or is of another type",
          ADCL_Vmap_free(&copy));
  copy = NULL;
  FAILS(ADCL_ERR_HANDLE, "not a valid", ADCL_Vmap_free(&copy));
}

static void vectors(void) {
  const int dims[2] = {4, 5};
  const int empty[2] = {4, 0};
  double data[20];
  double *allocated = NULL;
  void *address;
  ADCL_Vector vec = ADCL_VECTOR_NULL;
  ADCL_Vector freed;
  MPI_Datatype uncommitted;
  MPI_Type_contiguous(2, MPI_INT, &uncommitted);
  FAILS(ADCL_ERR_ARGUMENT, "ndims is 0", ADCL_Vector_register(0, dims, 0, MPI_DOUBLE, data, &vec));
  FAILS(ADCL_ERR_ARGUMENT, "dims", ADCL_Vector_register(2, NULL, 0, MPI_DOUBLE, data, &vec));
  FAILS(ADCL_ERR_ARGUMENT, "dims[1] is 0", ADCL_Vector_register(2, empty, 0, MPI_DOUBLE, data, &vec));
  FAILS(ADCL_ERR_ARGUMENT, "nc is -1", ADCL_Vector_register_generic(2, dims, -1, MPI_DOUBLE, data, &vec));
  FAILS(ADCL_ERR_TYPE, "MPI_DATATYPE_NULL", ADCL_Vector_register(2, dims, 0, MPI_DATATYPE_NULL, data, &vec));
  FAILS(ADCL_ERR_TYPE, "MPI_Type_commit", ADCL_Vector_register(2, dims, 0, uncommitted, data, &vec));
  FAILS(ADCL_ERR_ARGUMENT, "data", ADCL_Vector_register(2, dims, 0, MPI_DOUBLE, NULL, &vec));
  FAILS(ADCL_ERR_ARGUMENT, "vec", ADCL_Vector_register(2, dims, 0, MPI_DOUBLE, data, NULL));
  FAILS(ADCL_ERR_ARGUMENT, "data", ADCL_Vector_allocate(2, dims, 0, MPI_DOUBLE, NULL, &vec));
  FAILS(ADCL_ERR_TYPE, "MPI_Type_commit", ADCL_Vector_allocate_generic(2, dims, 0, uncommitted, &allocated, &vec));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first", ADCL_Vector_deregister(&vec));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first", ADCL_Vector_free(&vec));
  FAILS(ADCL_ERR_ARGUMENT, "vec", ADCL_Vector_free(NULL));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first", ADCL_Vector_get_data(vec, &address));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first", ADCL_Vector_set_order(vec, ADCL_ORDER_C));

  OK(ADCL_Vector_register(2, dims, 0, MPI_DOUBLE, data, &vec));
  REFUSES(ADCL_ERR_ARGUMENT, "order is 7", "ADCL_ORDER_C or ADCL_ORDER_FORTRAN", ADCL_Vector_set_order(vec, 7));
  REFUSES(ADCL_ERR_STATE, "the vector was registered", "use ADCL_Vector_deregister", ADCL_Vector_free(&vec));
  FAILS(ADCL_ERR_ARGUMENT, "data", ADCL_Vector_get_data(vec, NULL));
  FAILS(ADCL_ERR_ARGUMENT, "data", ADCL_Vector_rebind(vec, NULL));
  OK(ADCL_Vector_get_data(vec, &address));
  CHECK(address == (void *)data);
  freed = vec;
  OK(ADCL_Vector_deregister(&vec));
  CHECK(vec == ADCL_VECTOR_NULL);
  REFUSES(ADCL_ERR_HANDLE, ") is not a valid ADCL_", "it was freed, was never created, or is of another type",
          ADCL_Vector_deregister(&freed));
  REFUSES(ADCL_ERR_HANDLE, ") is not a valid ADCL_", "it was freed, was never created, or is of another type",
          ADCL_Vector_rebind(freed, data));

  OK(ADCL_Vector_allocate(2, dims, 3, MPI_DOUBLE, &allocated, &vec));
  CHECK(allocated != NULL && (uintptr_t)allocated % 64 == 0 && allocated[59] == 0.0);
  REFUSES(ADCL_ERR_STATE, "the vector was allocated", "use ADCL_Vector_free", ADCL_Vector_deregister(&vec));
  FAILS(ADCL_ERR_STATE, "ADCL_Vector_allocate", ADCL_Vector_rebind(vec, data));
  OK(ADCL_Vector_free(&vec));
  MPI_Type_free(&uncommitted);
}

static void topologies(MPI_Comm cart) {
  const int none[2] = {MPI_PROC_NULL, MPI_PROC_NULL};
  const int beyond[2] = {MPI_PROC_NULL, 1000};
  ADCL_Topology topo = ADCL_TOPOLOGY_NULL;
  FAILS(ADCL_ERR_ARGUMENT, "MPI_COMM_NULL", ADCL_Topology_create(MPI_COMM_NULL, 0, &topo));
  FAILS(ADCL_ERR_ARGUMENT, "root is", ADCL_Topology_create(cart, harness_size(), &topo));
  FAILS(ADCL_ERR_ARGUMENT, "topo", ADCL_Topology_create(cart, 0, NULL));
  REFUSES(ADCL_ERR_ARGUMENT, "no Cartesian topology", "MPI_Cart_create",
          ADCL_Topology_create_extended(MPI_COMM_WORLD, &topo));
  FAILS(ADCL_ERR_ARGUMENT, "ndims is 0",
        ADCL_Topology_create_generic(0, none, none, NULL, ADCL_DIRECTION_BOTH, cart, &topo));
  FAILS(ADCL_ERR_ARGUMENT, "lneighbors",
        ADCL_Topology_create_generic(2, NULL, none, NULL, ADCL_DIRECTION_BOTH, cart, &topo));
  FAILS(ADCL_ERR_ARGUMENT, "1000",
        ADCL_Topology_create_generic(2, none, beyond, NULL, ADCL_DIRECTION_BOTH, cart, &topo));
  FAILS(ADCL_ERR_ARGUMENT, "direction is 9", ADCL_Topology_create_generic(2, none, none, NULL, 9, cart, &topo));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first", ADCL_Topology_free(&topo));
  FAILS(ADCL_ERR_ARGUMENT, "topo", ADCL_Topology_free(NULL));
}

static void functions(void) {
  const int values[2] = {0, 1};
  const int twice[2] = {1, 1};
  const int unknown[1] = {7};
  const char *names[2] = {"zero", "one"};
  const char *missing[2] = {"zero", NULL};
  ADCL_Attribute attribute = ADCL_ATTRIBUTE_NULL;
  ADCL_Attrset attrset = ADCL_ATTRSET_NULL;
  ADCL_Function function = ADCL_FUNCTION_NULL;
  ADCL_Function same[2];
  ADCL_Fnctset set = ADCL_FNCTSET_NULL;
  FAILS(ADCL_ERR_ARGUMENT, "nvalues is 0", ADCL_Attribute_create(0, values, names, "a", &attribute));
  FAILS(ADCL_ERR_ARGUMENT, "values", ADCL_Attribute_create(2, NULL, names, "a", &attribute));
  FAILS(ADCL_ERR_ARGUMENT, "value_names", ADCL_Attribute_create(2, values, missing, "a", &attribute));
  REFUSES(ADCL_ERR_ARGUMENT, "values[1] is 1", "distinct", ADCL_Attribute_create(2, twice, names, "a", &attribute));
  FAILS(ADCL_ERR_ARGUMENT, "name", ADCL_Attribute_create(2, values, names, NULL, &attribute));
  FAILS(ADCL_ERR_ARGUMENT, "attr", ADCL_Attribute_create(2, values, names, "a", NULL));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first", ADCL_Attribute_free(&attribute));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first", ADCL_Attrset_create(1, &attribute, &attrset));
  OK(ADCL_Attribute_create(2, values, names, "a", &attribute));
  FAILS(ADCL_ERR_ARGUMENT, "n is 0", ADCL_Attrset_create(0, &attribute, &attrset));
  FAILS(ADCL_ERR_ARGUMENT, "attrset", ADCL_Attrset_create(1, &attribute, NULL));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first", ADCL_Attrset_free(&attrset));
  OK(ADCL_Attrset_create(1, &attribute, &attrset));
  FAILS(ADCL_ERR_ARGUMENT, "fn", ADCL_Function_create(NULL, attrset, values, "f", &function));
  FAILS(ADCL_ERR_ARGUMENT, "not a value of attribute 'a'",
        ADCL_Function_create(codelet, attrset, unknown, "f", &function));
  FAILS(ADCL_ERR_ARGUMENT, "values", ADCL_Function_create(codelet, attrset, NULL, "f", &function));
  FAILS(ADCL_ERR_ARGUMENT, "values is not null, but attrset is ADCL_ATTRSET_NULL",
        ADCL_Function_create(codelet, ADCL_ATTRSET_NULL, values, "f", &function));
  FAILS(ADCL_ERR_ARGUMENT, "name", ADCL_Function_create(codelet, attrset, values, "", &function));
  FAILS(ADCL_ERR_ARGUMENT, "name", ADCL_Function_create(codelet, attrset, values, NULL, &function));
  FAILS(ADCL_ERR_ARGUMENT, "func", ADCL_Function_create(codelet, attrset, values, "f", NULL));
  FAILS(ADCL_ERR_ARGUMENT, "wait_fn", ADCL_Function_create_async(codelet, NULL, attrset, values, "f", &function));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first", ADCL_Function_free(&function));
  OK(ADCL_Function_create(codelet, attrset, values, "f", &function));
  same[0] = function;
  same[1] = function;
  FAILS(ADCL_ERR_ARGUMENT, "two functions are named 'f'", ADCL_Fnctset_create(2, same, "s", &set));
  FAILS(ADCL_ERR_ARGUMENT, "n is 0", ADCL_Fnctset_create(0, same, "s", &set));
  FAILS(ADCL_ERR_ARGUMENT, "funcs", ADCL_Fnctset_create(1, NULL, "s", &set));
  FAILS(ADCL_ERR_ARGUMENT, "name", ADCL_Fnctset_create(1, same, NULL, &set));
  FAILS(ADCL_ERR_ARGUMENT, "set", ADCL_Fnctset_create(1, same, "s", NULL));
  FAILS(ADCL_ERR_ARGUMENT, "all combinations",
        ADCL_Fnctset_create_single(codelet, NULL, attrset, "s", values, 2, &set));
  FAILS(ADCL_ERR_ARGUMENT, "init_fn", ADCL_Fnctset_create_single(NULL, NULL, attrset, "s", NULL, 0, &set));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first",
          ADCL_Fnctset_create_single(codelet, NULL, ADCL_ATTRSET_NULL, "s", NULL, 0, &set));
  FAILS(ADCL_ERR_ARGUMENT, "not a value", ADCL_Fnctset_create_single(codelet, NULL, attrset, "s", unknown, 1, &set));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first", ADCL_Fnctset_free(&set));
  set = ADCL_FNCTSET_NEIGHBORHOOD;
  FAILS(ADCL_ERR_HANDLE, "predefined", ADCL_Fnctset_free(&set));
  OK(ADCL_Function_free(&function));
  OK(ADCL_Attrset_free(&attrset));
  OK(ADCL_Attribute_free(&attribute));
}

static void requests(MPI_Comm cart) {
  const int dims[2] = {8, 8};
  const int three[3] = {8, 8, 8};
  static double data[512];
  char name[ADCL_MAX_NAME];
  int number;
  double seconds;
  ADCL_Request request = ADCL_REQUEST_NULL;
  ADCL_Request freed;
  ADCL_Topology topo;
  ADCL_Topology plain;
  ADCL_Vmap vmap;
  ADCL_Vmap wide;
  ADCL_Vector vec;
  ADCL_Vector cube;
  char too_long[301];
  memset(too_long, 'n', sizeof too_long - 1);
  too_long[sizeof too_long - 1] = '\0';
  OK(ADCL_Topology_create(cart, 0, &topo));
  OK(ADCL_Topology_create(MPI_COMM_WORLD, 0, &plain));
  OK(ADCL_Vmap_halo_allocate(1, &vmap));
  OK(ADCL_Vmap_halo_allocate(3, &wide));
  OK(ADCL_Vector_register(2, dims, 0, MPI_DOUBLE, data, &vec));
  OK(ADCL_Vector_register(3, three, 0, MPI_DOUBLE, data, &cube));
  FAILS(ADCL_ERR_HANDLE, "topo is ADCL_TOPOLOGY_NULL",
        ADCL_Request_create(vec, vmap, ADCL_TOPOLOGY_NULL, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  FAILS(ADCL_ERR_HANDLE, "ADCL_VECTOR_NULL",
        ADCL_Request_create(ADCL_VECTOR_NULL, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  FAILS(ADCL_ERR_HANDLE, "ADCL_VMAP_NULL",
        ADCL_Request_create(vec, ADCL_VMAP_NULL, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  FAILS(ADCL_ERR_HANDLE, "set", ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NULL, &request));
  FAILS(ADCL_ERR_ARGUMENT, "req", ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, NULL));
  FAILS(ADCL_ERR_ARGUMENT, "no neighbors", ADCL_Request_create(vec, vmap, plain, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  REFUSES(ADCL_ERR_ARGUMENT, "dimension 0 has extent 8", "must be at least as wide as its halos",
          ADCL_Request_create(vec, wide, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  FAILS(ADCL_ERR_ARGUMENT, "3 dimensions", ADCL_Request_create(cube, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first", ADCL_Request_free(&request));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first", ADCL_Request_start(request));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first", ADCL_Request_init(request));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first", ADCL_Request_wait(request));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first", ADCL_Request_test(request, &number));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first", ADCL_Request_progress(request, 0));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first",
          ADCL_Request_start_overlap(request, codelet, codelet, codelet));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first", ADCL_Request_update(request, 1.0));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first", ADCL_Request_get_state(request, &number));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first",
          ADCL_Request_get_winner(request, name, sizeof name));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first",
          ADCL_Request_get_curr_function(request, name, sizeof name));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first",
          ADCL_Request_get_fsname(request, name, sizeof name));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first", ADCL_Request_set_name(request, "pressure"));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first", ADCL_Request_get_functions_num(request, &number));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first",
          ADCL_Request_get_comm(request, NULL, &number, NULL));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first", ADCL_Request_get_field(request, 0, NULL, NULL));
  REFUSES(ADCL_ERR_HANDLE, "is the null ADCL_", "; create one first", ADCL_Request_set_context(request, NULL));
  FAILS(ADCL_ERR_ARGUMENT, "MPI_COMM_NULL",
        ADCL_Halo_init(ADCL_HALO(data, 2, dims, 0, 1, MPI_DOUBLE), MPI_COMM_NULL, &request));
  FAILS(ADCL_ERR_ARGUMENT, "ndims is 0", ADCL_Halo_init(ADCL_HALO(data, 0, dims, 0, 1, MPI_DOUBLE), cart, &request));
  FAILS(ADCL_ERR_ARGUMENT, "dims", ADCL_Halo_init(ADCL_HALO(data, 2, NULL, 0, 1, MPI_DOUBLE), cart, &request));
  FAILS(ADCL_ERR_ARGUMENT, "hwidth is -2", ADCL_Halo_init(ADCL_HALO(data, 2, dims, 0, -2, MPI_DOUBLE), cart, &request));
  FAILS(ADCL_ERR_ARGUMENT, "buf is a null pointer",
        ADCL_Halo_init(ADCL_HALO(NULL, 2, dims, 0, 1, MPI_DOUBLE), cart, &request));
  FAILS(ADCL_ERR_TYPE, "MPI_DATATYPE_NULL",
        ADCL_Halo_init(ADCL_HALO(data, 2, dims, 0, 1, MPI_DATATYPE_NULL), cart, &request));

  OK(ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  REFUSES(ADCL_ERR_STATE, "a request uses the vector", "before creating the first request",
          ADCL_Vector_set_order(vec, ADCL_ORDER_FORTRAN));
  REFUSES(ADCL_ERR_STATE, "not in flight", "start it with ADCL_Request_init", ADCL_Request_wait(request));
  REFUSES(ADCL_ERR_STATE, "not in flight", "start it with ADCL_Request_init", ADCL_Request_test(request, &number));
  FAILS(ADCL_ERR_ARGUMENT, "flag", ADCL_Request_test(request, NULL));
  FAILS(ADCL_ERR_ARGUMENT, "depth is -1", ADCL_Request_progress(request, -1));
  FAILS(ADCL_ERR_ARGUMENT, "seconds is -1", ADCL_Request_update(request, -1.0));
  FAILS(ADCL_ERR_STATE, "never started", ADCL_Request_update(request, 1.0));
  FAILS(ADCL_ERR_STATE, "no codelet has attribute values", ADCL_Request_get_attribute_values(request, 4, &number));
  FAILS(ADCL_ERR_ARGUMENT, "room", ADCL_Request_get_fsname(request, name, 2));
  FAILS(ADCL_ERR_ARGUMENT, "name is a null", ADCL_Request_set_name(request, NULL));
  FAILS(ADCL_ERR_ARGUMENT, "name has 0 bytes", ADCL_Request_set_name(request, ""));
  FAILS(ADCL_ERR_ARGUMENT, "name has 300 bytes", ADCL_Request_set_name(request, too_long));
  FAILS(ADCL_ERR_ARGUMENT, "candidates 0 to",
        ADCL_Request_get_statistics(request, -1, name, sizeof name, &number, &seconds, &seconds, &number));
  FAILS(ADCL_ERR_ARGUMENT, "n is -1", ADCL_Request_save_status(request, -1, &number, &seconds, &seconds, &number));
  FAILS(ADCL_ERR_ARGUMENT, "n is 0", ADCL_Request_restore_status(request, 0, NULL, NULL, NULL, NULL));
  FAILS(ADCL_ERR_ARGUMENT, "mid", ADCL_Request_start_overlap(request, NULL, codelet, codelet));
  OK(ADCL_Request_init(request));
  FAILS(ADCL_ERR_STATE, "in flight", ADCL_Request_init(request));
  FAILS(ADCL_ERR_STATE, "in flight", ADCL_Request_start(request));
  FAILS(ADCL_ERR_STATE, "in flight", ADCL_Request_free(&request));
  FAILS(ADCL_ERR_STATE, "in flight", ADCL_Request_start_overlap(request, codelet, codelet, codelet));
  FAILS(ADCL_ERR_STATE, "in flight", ADCL_Vector_rebind(vec, data));
  FAILS(ADCL_ERR_STATE, "in flight", ADCL_Finalize());
  OK(ADCL_Request_wait(request));
  freed = request;
  OK(ADCL_Request_free(&request));
  CHECK(request == ADCL_REQUEST_NULL);
  REFUSES(ADCL_ERR_HANDLE, ") is not a valid ADCL_", "it was freed, was never created, or is of another type",
          ADCL_Request_start(freed));
  REFUSES(ADCL_ERR_HANDLE, ") is not a valid ADCL_", "it was freed, was never created, or is of another type",
          ADCL_Request_free(&freed));
  OK(ADCL_Vector_deregister(&cube));
  OK(ADCL_Vector_deregister(&vec));
  OK(ADCL_Vmap_free(&wide));
  OK(ADCL_Vmap_free(&vmap));
  OK(ADCL_Topology_free(&plain));
  OK(ADCL_Topology_free(&topo));
}

int main(int argc, char **argv) {
  MPI_Comm cart;
  FAILS(ADCL_ERR_STATE, "MPI_Init", ADCL_Init());
  MPI_Init(&argc, &argv);
  before_init();
  OK(ADCL_Init());
  cart = harness_cart(2, 1);
  environment();
  vmaps();
  vectors();
  topologies(cart);
  functions();
  requests(cart);
  MPI_Comm_free(&cart);
  OK(ADCL_Finalize());
  before_init();
  return harness_verdict();
}
