/* ranks: 1 2 3 4
 * not smpi: its ranks are one process with one environment, and its calls are macros
 * ADCL_ERRORS: the default writes nothing. `report` writes each message once, to the destination of the report; the
 * rank that caused a collective error writes it. `abort` writes the message and calls MPI_Abort, which this program
 * replaces. */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <fcntl.h>
#include <unistd.h>

static int aborts = 0;
static int abort_code = 0;

int MPI_Abort(MPI_Comm comm, int errorcode) {
  CHECK(comm == MPI_COMM_WORLD);
  ++aborts;
  abort_code = errorcode;
  return MPI_SUCCESS;
}

/* Number of times that the file contains the text; -1 without a file. */
static int count_in(const char *path, const char *text) {
  char line[1024];
  int times = 0;
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    return -1;
  }
  while (fgets(line, sizeof line, file) != NULL) {
    times += strstr(line, text) != NULL;
  }
  fclose(file);
  return times;
}

static void remove_file(const char *path) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (harness_rank() == 0) {
    remove(path);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void mode_return(const char *path) {
  ADCL_Vmap vmap;
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_REPORT", path));
  FAILS(ADCL_ERR_ARGUMENT, "hwidth is -1", ADCL_Vmap_halo_allocate(-1, &vmap));
  CHECK(count_in(path, "") == -1);
  OK(ADCL_Finalize());
  remove_file(path);
}

/* Passes a halo width larger than the block on the last rank. */
static void wrong_on_the_last_rank(MPI_Comm cart) {
  static double data[64];
  const int dims[2] = {8, 8};
  ADCL_Request request;
  const int width = harness_rank() == harness_size() - 1 ? 5 : 1;
  CHECK(ADCL_Halo_init(ADCL_HALO(data, 2, dims, 0, width, MPI_DOUBLE), cart, &request) == ADCL_ERR_ARGUMENT);
}

static void mode_report(const char *path, MPI_Comm cart) {
  ADCL_Vmap vmap;
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_REPORT", path));
  OK(ADCL_Option_set("ADCL_ERRORS", "report"));
  for (int i = 0; i < 5; ++i) {
    FAILS(ADCL_ERR_ARGUMENT, "hwidth is -2", ADCL_Vmap_halo_allocate(-2, &vmap));
  }
  FAILS(ADCL_ERR_HANDLE, "null", ADCL_Request_start(ADCL_REQUEST_NULL));
  wrong_on_the_last_rank(cart);
  CHECK(ADCL_Error_set(ADCL_ERR_STATE, "of the application") == ADCL_ERR_STATE);
  CHECK(strcmp(ADCL_Last_error(), "of the application") == 0);
  FAILS(ADCL_ERR_ARGUMENT, "code is 77", ADCL_Error_set(77, "of the application"));
  FAILS(ADCL_ERR_ARGUMENT, "message", ADCL_Error_set(ADCL_ERR_STATE, NULL));
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(count_in(path, "ADCL_Vmap_halo_allocate: hwidth is -2") == harness_size());
  CHECK(count_in(path, "ADCL_Request_start: req is the null") == harness_size());
  CHECK(count_in(path, "ADCL_Halo_init: ") == 1);
  CHECK(count_in(path, ": of the application") == harness_size());
  CHECK(count_in(path, "ADCL error on rank 0: ") == (harness_size() == 1 ? 6 : 5));
  MPI_Barrier(MPI_COMM_WORLD); /* all ranks have counted */
  CHECK(ADCL_Error_record(ADCL_ERR_STATE, "of an interface") == ADCL_ERR_STATE);
  CHECK(ADCL_Error_record(ADCL_ERR_ARGUMENT, "of an interface") == ADCL_ERR_ARGUMENT);
  CHECK(ADCL_Error_record(ADCL_ERR_CALLBACK, "of an interface") == ADCL_ERR_CALLBACK);
  FAILS(ADCL_ERR_ARGUMENT, "code is 77", ADCL_Error_record(77, "of an interface"));
  FAILS(ADCL_ERR_ARGUMENT, "message", ADCL_Error_record(ADCL_ERR_STATE, NULL));
  OK(ADCL_Finalize());
  CHECK(aborts == 0);
  remove_file(path);
}

/* Only rank 0 reports objects that were not freed. */
static void leaked_objects(const char *path) {
  static double data[4];
  const int points = 4;
  ADCL_Vector vector;
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_REPORT", path));
  OK(ADCL_Vector_register(1, &points, 0, MPI_DOUBLE, data, &vector));
  OK(ADCL_Finalize());
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(count_in(path, "ADCL_Finalize freed 1 requests, timers, topologies and vectors") == 1);
  MPI_Barrier(MPI_COMM_WORLD); /* all ranks have counted */
  remove_file(path);
}

static void message_limit(const char *path) {
  ADCL_Vmap vmap;
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_REPORT", path));
  OK(ADCL_Option_set("ADCL_ERRORS", "report"));
  for (int i = 100; i < 150; ++i) {
    CHECK(ADCL_Vmap_halo_allocate(-i, &vmap) == ADCL_ERR_ARGUMENT);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(count_in(path, "ADCL error") < 20 * harness_size() && count_in(path, "ADCL error") > 5 * harness_size());
  CHECK(count_in(path, "further errors are not shown") == harness_size());
  OK(ADCL_Finalize());
  remove_file(path);
}

static void mode_abort(const char *path) {
  ADCL_Vmap vmap;
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_REPORT", path));
  OK(ADCL_Option_set("ADCL_ERRORS", "abort"));
  OK(ADCL_Vmap_halo_allocate(1, &vmap));
  OK(ADCL_Vmap_free(&vmap));
  CHECK(aborts == 0);
  FAILS(ADCL_ERR_ARGUMENT, "hwidth is -3", ADCL_Vmap_halo_allocate(-3, &vmap));
  CHECK(aborts == 1 && abort_code == ADCL_ERR_ARGUMENT);
  OK(ADCL_Option_set("ADCL_ERRORS", "return"));
  OK(ADCL_Finalize());
  remove_file(path);
}

/* After wrong options, ADCL_Init fails and has no options, so it takes ADCL_ERRORS from the environment and writes
 * to stderr. It also detects a misspelled ADCL_ERRORS. */
static void wrong_environment(const char *path) {
  const char *const wrong[2][2] = {{"ADCL_ERRORS", "raport"}, {"ADCL_SERCH", "brute_force"}};
  for (int i = 0; i < 2; ++i) {
    const int saved = dup(2);
    const int file = open(path, O_CREAT | O_WRONLY | O_APPEND, 0600);
    int code;
    setenv("ADCL_ERRORS", "report", 1);
    setenv(wrong[i][0], wrong[i][1], 1);
    dup2(file, 2);
    code = ADCL_Init();
    dup2(saved, 2);
    close(saved);
    close(file);
    CHECK(code == ADCL_ERR_OPTION);
    unsetenv(wrong[i][0]);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(count_in(path, "ADCL_Init: ") == harness_size());
    CHECK(count_in(path, i == 0 ? "did you mean report" : "ADCL_SEARCH") == harness_size());
    remove_file(path);
  }
  unsetenv("ADCL_ERRORS");
}

int main(int argc, char **argv) {
  char path[64];
  MPI_Comm cart;
  MPI_Init(&argc, &argv);
  snprintf(path, sizeof path, "./adcl_errors_%d.txt", harness_size());
  remove_file(path);
  cart = harness_cart(2, 1);
  wrong_environment(path);
  mode_return(path);
  mode_report(path, cart);
  mode_abort(path);
  leaked_objects(path);
  message_limit(path);
  MPI_Comm_free(&cart);
  return harness_verdict();
}
