/* A program that counts its own MPI calls. An interposer that calls ADCL_Inside must attribute the same calls to the
 * program: calls between calls of ADCL, and calls in the program's codelets and work functions. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>

#include "capi/harness.h"

static long own_calls;
static MPI_Comm grid;

#define OWN(call) (++own_calls, (void)(call))

static void call_interposer(const char *name, long *answer) {
  long (*function)(void) = NULL;
  *(void **)&function = dlsym(RTLD_DEFAULT, name);
  CHECK(function != NULL);
  *answer = function != NULL ? function() : -1;
}

static void check_counts(const char *when) {
  long program = 0;
  long library = 0;
  call_interposer("counting_program_calls", &program);
  call_interposer("counting_library_calls", &library);
  if (program != own_calls) {
    fprintf(stderr, "%s: %ld calls were counted as the program's, which made %ld\n", when, program, own_calls);
  }
  CHECK(program == own_calls);
  CHECK(library > 0);
}

static void synchronize(void) { OWN(MPI_Barrier(grid)); }

static void codelet(ADCL_Request request) {
  MPI_Comm comm;
  int rank = 0;
  int size = 0;
  int sum = 1;
  CHECK(ADCL_Inside() == 0);
  OK(ADCL_Request_get_comm(request, &comm, &rank, &size));
  CHECK(ADCL_Inside() == 0);
  OWN(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm));
  CHECK(sum == size);
}

static void work(ADCL_Request request) {
  (void)request;
  CHECK(ADCL_Inside() == 0);
  synchronize();
}

static void halos(void) {
  const int dims[2] = {10, 12};
  double data[120] = {0};
  ADCL_Request request;
  OK(ADCL_Halo_init(ADCL_HALO(data, 2, dims, 0, 1, MPI_DOUBLE), grid, &request));
  for (int i = 0; i < 1200; ++i) {
    OK(ADCL_Request_start(request));
    if (i % 100 == 0) {
      synchronize();
    }
  }
  check_counts("after starts");
  for (int i = 0; i < 300; ++i) {
    OK(ADCL_Request_init(request));
    if (i % 50 == 0) {
      synchronize();
    }
    OK(ADCL_Request_wait(request));
  }
  check_counts("after inits and waits");
  for (int i = 0; i < 40; ++i) {
    OK(ADCL_Request_start_overlap(request, work, work, work));
  }
  check_counts("after work functions");
  OK(ADCL_Request_free(&request));
}

static void own_codelets(void) {
  ADCL_Function functions[2];
  ADCL_Fnctset set;
  ADCL_Topology topology;
  ADCL_Request request;
  OK(ADCL_Function_create(codelet, ADCL_ATTRSET_NULL, NULL, "one", &functions[0]));
  OK(ADCL_Function_create(codelet, ADCL_ATTRSET_NULL, NULL, "two", &functions[1]));
  OK(ADCL_Fnctset_create(2, functions, "sums", &set));
  OK(ADCL_Topology_create(grid, 0, &topology));
  OK(ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, topology, set, &request));
  for (int i = 0; i < 30; ++i) {
    OK(ADCL_Request_start(request));
  }
  check_counts("after the program's codelets");
  OK(ADCL_Request_free(&request));
  OK(ADCL_Topology_free(&topology));
  OK(ADCL_Fnctset_free(&set));
  OK(ADCL_Function_free(&functions[0]));
  OK(ADCL_Function_free(&functions[1]));
}

/* Calls ADCL_Inside repeatedly; this thread is never inside a call of the library. */
static void *poll_inside(void *stop) {
  const struct timespec pause = {0, 100000};
  long answers = 0;
  while (!__atomic_load_n((int *)stop, __ATOMIC_RELAXED)) {
    answers += ADCL_Inside();
    nanosleep(&pause, NULL);
  }
  return answers == 0 ? NULL : stop;
}

int main(int argc, char **argv) {
  const int periodic[2] = {1, 1};
  int dims[2] = {0, 1};
  int stop = 0;
  pthread_t thread;
  void *inside = NULL;
  MPI_Init(&argc, &argv);
  MPI_Dims_create(harness_size(), 2, dims);
  CHECK(ADCL_Inside() == 0);
  OK(ADCL_Init());
  OWN(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, 0, &grid));
  CHECK(pthread_create(&thread, NULL, poll_inside, &stop) == 0);
  halos();
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  CHECK(pthread_join(thread, &inside) == 0);
  CHECK(inside == NULL);
  own_codelets();
  CHECK(ADCL_Request_start(ADCL_REQUEST_NULL) == ADCL_ERR_HANDLE);
  CHECK(ADCL_Inside() == 0);
  /* Frees the library's objects of the communicator, by calls of the library. */
  OWN(MPI_Comm_free(&grid));
  check_counts("after the communicator was freed");
  OK(ADCL_Finalize());
  check_counts("after ADCL_Finalize");
  return harness_verdict();
}
