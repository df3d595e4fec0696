/* ranks: 1 3
 * not smpi: all its ranks are one process with one working directory
 * config.adcl of ADCL 1.x: its folders, its precedence, and the present meaning of its keys. Also the errors for
 * wrong arguments of calls of 1.x. */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <ADCL_v1.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[PATH_MAX];

/* A path below the folder of this test; `name` is "" for the folder. */
static const char *below(const char *name) {
  static char path[PATH_MAX + 64];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void write_file(const char *path, const char *content) {
  MPI_Barrier(MPI_COMM_WORLD); /* all ranks have read the old file */
  if (harness_rank() == 0) {
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (file != NULL) {
      fputs(content, file);
      fclose(file);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void remove_file(const char *path) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (harness_rank() == 0) {
    unlink(path);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static int option_is(const char *name, const char *expected) {
  char value[ADCL_MAX_NAME + PATH_MAX];
  OK(ADCL_Option_get(name, value, sizeof value));
  if (strcmp(value, expected) != 0) {
    fprintf(stderr, "%s is %s, not %s\n", name, value, expected);
  }
  return strcmp(value, expected) == 0;
}

static void enter_folder(void) {
  if (harness_rank() == 0) {
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/adcl_v1_XXXXXX", base != NULL ? base : "/tmp");
    CHECK(mkdtemp(folder) != NULL);
    mkdir(below(".adcl"), 0700);
    mkdir(below("empty"), 0700);
  }
  MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
  CHECK(chdir(folder) == 0);
  setenv("HOME", folder, 1);
}

static void leave_folder(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(chdir("/") == 0);
  if (harness_rank() == 0) {
    unlink(below("report"));
    rmdir(below("empty"));
    rmdir(below(".adcl"));
    rmdir(below(""));
  }
}

static void keys(void) {
  write_file("config.adcl",
             "# a comment: no key\n"
             "no key either\n"
             "ADCL_EMETHOD_SELECTION: SendIrecv_pair_pack\n"
             "ADCL_EMETHOD_ALLTOALL_SELECTION: Alltoall_ladd_block4\n"
             "ADCL_EMETHOD_SEARCH_ALGO: 2\n"
             "ADCL_EMETHOD_NUMTESTS: 7\n"
             "ADCL_MERGE_REQUESTS: 0\n"
             "ADCL_USE_BARRIER: 1 and more\n"
             "ADCL_OUTLIER_FRACTION: 20\n"
             "ADCL_OUTLIER_FACTOR: 3\n"
             "ADCL_HIST_LEARNING: 1\n"
             "ADCL_DISPLAY_IP: 127.0.0.1\n"
             "ADCL_PRINTF_SILENCE: 1\n");
  OK(ADCL_Init());
  CHECK(option_is("ADCL_CODELETS", "alltoall:Linear_4;neighborhood:SIr_pair_pack"));
  CHECK(option_is("ADCL_SEARCH", "factorial"));
  CHECK(option_is("ADCL_MEASUREMENTS", "7"));
  CHECK(option_is("ADCL_MERGE_REQUESTS", "0"));
  CHECK(option_is("ADCL_TIMING", "barrier"));
  CHECK(option_is("ADCL_OUTLIER_FRACTION", "0.2"));
  CHECK(option_is("ADCL_OUTLIER_BOUND", "3"));
  CHECK(option_is("ADCL_HISTORY", below(".adcl/history")));
  CHECK(option_is("ADCL_REPORT", "off"));
  /* The selected codelet runs from the first start on. */
  MPI_Comm ring = harness_cart(1, 1);
  int extent = 6;
  double *cells;
  char *name;
  ADCL_Topology topo;
  ADCL_Vmap vmap;
  ADCL_Vector vec;
  ADCL_Request request;
  OK(ADCL_Topology_create(ring, &topo));
  OK(ADCL_Vmap_halo_allocate(1, &vmap));
  OK(ADCL_Vector_allocate_generic(1, &extent, 0, vmap, MPI_DOUBLE, &cells, &vec));
  OK(ADCL_Option_set("ADCL_HISTORY", "off"));
  OK(ADCL_Request_create(vec, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  OK(ADCL_Request_start(request));
  OK(ADCL_Request_get_curr_function(request, &name, NULL, NULL, NULL, NULL));
  CHECK(strcmp(name, "SIr_pair_pack") == 0);
  free(name);
  OK(ADCL_Request_free(&request));
  OK(ADCL_Finalize());
  MPI_Comm_free(&ring);
  remove_file("config.adcl");
}

/* The library reads the file in the working directory, or else the user's file. The environment and ADCL_CONFIG take
 * precedence over both. */
static void precedence(void) {
  write_file(".adcl/config.adcl", "ADCL_EMETHOD_SEARCH_ALGO: 1\nADCL_EMETHOD_NUMTESTS: 5\n");
  OK(ADCL_Init());
  CHECK(option_is("ADCL_SEARCH", "hypothesis") && option_is("ADCL_MEASUREMENTS", "5"));
  OK(ADCL_Finalize());
  write_file("config.adcl", "ADCL_EMETHOD_SEARCH_ALGO: 0\nADCL_EMETHOD_NUMTESTS: 4\n");
  OK(ADCL_Init());
  CHECK(option_is("ADCL_SEARCH", "brute_force") && option_is("ADCL_MEASUREMENTS", "4"));
  /* A second ADCL_Init keeps options that the program has set since the first call. */
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "6"));
  OK(ADCL_Init());
  CHECK(option_is("ADCL_MEASUREMENTS", "6"));
  OK(ADCL_Finalize());
  OK(ADCL_Finalize());
  setenv("ADCL_MEASUREMENTS", "9", 1);
  write_file("options", "ADCL_SEARCH = brute_force\n");
  setenv("ADCL_CONFIG", below("options"), 1);
  OK(ADCL_Init());
  CHECK(option_is("ADCL_SEARCH", "brute_force") && option_is("ADCL_MEASUREMENTS", "9"));
  OK(ADCL_Finalize());
  unsetenv("ADCL_MEASUREMENTS");
  unsetenv("ADCL_CONFIG");
  remove_file("options");
  remove_file("config.adcl");
  remove_file(".adcl/config.adcl");
}

/* The report lists the ignored keys. */
static void ignored(void) {
  write_file("config.adcl", "ADCL_TWOK_THRESHOLD: 5\nADCL_UNHEARD_OF: 1\n");
  setenv("ADCL_REPORT", below("report"), 1);
  OK(ADCL_Init());
  OK(ADCL_Finalize());
  unsetenv("ADCL_REPORT");
  if (harness_rank() == 0) {
    char text[2048] = "";
    FILE *file = fopen("report", "r");
    CHECK(file != NULL && fread(text, 1, sizeof text - 1, file) > 0);
    if (file != NULL) {
      fclose(file);
    }
    CHECK(strstr(text, "line 1: ADCL_TWOK_THRESHOLD no longer has an effect") != NULL);
    CHECK(strstr(text, "line 2: ADCL_UNHEARD_OF is not a key") != NULL);
  }
  remove_file("config.adcl");
}

static void wrong_values(void) {
  const char *contents[] = {"\nADCL_EMETHOD_SELECTION: IsIr_aoa\n", "ADCL_EMETHOD_SEARCH_ALGO: 3\n",
                            "ADCL_EMETHOD_NUMTESTS: many\n", "ADCL_OUTLIER_FRACTION: 120\n", "ADCL_USE_BARRIER:\n"};
  const char *parts[] = {"config.adcl:2: function set neighborhood has no codelet 'IsIr_aoa'; did you mean IsIr_aao?",
                         "config.adcl:1: ADCL_EMETHOD_SEARCH_ALGO is 3; it must be a whole number from 0 to 2",
                         "config.adcl:1: ADCL_MEASUREMENTS=many", "in percent",
                         "config.adcl:1: ADCL_USE_BARRIER has no value"};
  for (int i = 0; i < 5; ++i) {
    int initialized = 1;
    write_file("config.adcl", contents[i]);
    FAILS(ADCL_NOT_FOUND, parts[i], ADCL_Init());
    CHECK(strstr(ADCL_Error_string(ADCL_NOT_FOUND), "not found") != NULL);
    OK(ADCL_Initialized(&initialized));
    CHECK(initialized == 0);
    remove_file("config.adcl");
  }
}

static void wrong_arguments(void) {
  MPI_Comm cart = harness_cart(2, 0);
  int dims[2] = {5, 5}, bad[2] = {5, 0}, seven = 7, extent = 5;
  double cells[25], **rows;
  ADCL_Topology topo, none;
  ADCL_Vmap vmap, all, unmade = ADCL_VMAP_NULL;
  ADCL_Vector vec, wide, made;
  ADCL_Request request = ADCL_REQUEST_NULL;
  FAILS(ADCL_USER_ERROR, "call ADCL_Init", ADCL_Vmap_all_allocate(&all));
  OK(ADCL_Init());
  FAILS(ADCL_INVALID_HWIDTH, "hwidth is -1", ADCL_Vmap_halo_allocate(-1, &vmap));
  FAILS(ADCL_INVALID_OP, "MPI_OP_NULL", ADCL_Vmap_reduce_allocate(MPI_OP_NULL, &vmap));
  FAILS(ADCL_INVALID_ARG, "vmap is a null", ADCL_Vmap_all_allocate(NULL));
  OK(ADCL_Vmap_halo_allocate(1, &vmap));
  OK(ADCL_Vmap_all_allocate(&all));
  FAILS(ADCL_INVALID_NDIMS, "ndims is 0", ADCL_Vector_register_generic(0, dims, 0, vmap, MPI_DOUBLE, cells, &vec));
  FAILS(ADCL_INVALID_DIMS, "dims[1] is 0", ADCL_Vector_register_generic(2, bad, 0, vmap, MPI_DOUBLE, cells, &vec));
  FAILS(ADCL_INVALID_NC, "nc is -1", ADCL_Vector_register_generic(2, dims, -1, vmap, MPI_DOUBLE, cells, &vec));
  FAILS(ADCL_INVALID_DATA, "data is a null", ADCL_Vector_register_generic(2, dims, 0, vmap, MPI_DOUBLE, NULL, &vec));
  FAILS(ADCL_INVALID_DAT, "", ADCL_Vector_register_generic(2, dims, 0, vmap, MPI_DATATYPE_NULL, cells, &vec));
  FAILS(ADCL_INVALID_VMAP, "the null", ADCL_Vector_allocate_generic(2, dims, 0, unmade, MPI_DOUBLE, &rows, &vec));
  FAILS(ADCL_INVALID_VECTYPE, "vectype is 3", ADCL_Vector_allocate(2, dims, 0, 3, 1, MPI_DOUBLE, &rows, &vec));
  OK(ADCL_Vector_register_generic(2, dims, 0, vmap, MPI_DOUBLE, cells, &vec));
  FAILS(ADCL_INVALID_DATA, "use ADCL_Vector_deregister", ADCL_Vector_free(&vec));
  FAILS(ADCL_INVALID_COMM, "MPI_COMM_NULL", ADCL_Topology_create(MPI_COMM_NULL, &topo));
  FAILS(ADCL_UNDEFINED, "nneigh is 4", ADCL_Topology_create_generic(2, 4, dims, dims, dims, dims, 0, cart, &none));
  FAILS(ADCL_INVALID_DIRECTION, "direction is 9",
        ADCL_Topology_create_generic(2, 2, dims, dims, dims, dims, 9, cart, &none));
  OK(ADCL_Topology_create(cart, &topo));
  FAILS(ADCL_INVALID_VECTOR, "the vector is ADCL_VECTOR_NULL",
        ADCL_Request_create(ADCL_VECTOR_NULL, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  FAILS(ADCL_INVALID_ARG, "root is 7",
        ADCL_Request_create_generic_rooted(vec, vec, topo, ADCL_FNCTSET_BCAST, seven, &request));
  /* A vector without a vmap; a vector whose entries do not form blocks of equal size. */
  OK((ADCL_Vector_register)(1, &extent, 0, MPI_DOUBLE, cells, &made));
  FAILS(ADCL_INVALID_ARG, "has no vmap", ADCL_Request_create(made, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  extent = harness_size() + 1;
  OK(ADCL_Vector_register_generic(1, &extent, 0, all, MPI_DOUBLE, cells, &wide));
  if (harness_size() > 1) {
    FAILS(ADCL_INVALID_ARG, "not a multiple of the",
          ADCL_Request_create_generic(wide, wide, topo, ADCL_FNCTSET_ALLTOALL, &request));
  }
  FAILS(ADCL_INVALID_REQUEST, "null", ADCL_Request_start(request));
  FAILS(ADCL_INVALID_WORK_FUNCTION_PTR, "fn is a null",
        ADCL_Function_create(ADCL_NULL_FNCT_PTR, ADCL_ATTRSET_NULL, NULL, "f", (ADCL_Function *)&none));
  OK(ADCL_Topology_free(&topo));
  FAILS(ADCL_INVALID_TOPOLOGY, "topo", ADCL_Request_create(vec, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  OK(ADCL_Finalize());
  MPI_Comm_free(&cart);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  unsetenv("ADCL_CONFIG");
  enter_folder();
  keys();
  precedence();
  ignored();
  wrong_values();
  wrong_arguments();
  leave_folder();
  return harness_verdict();
}
