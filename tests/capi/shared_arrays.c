/* ranks: 1 2 3 4
 * not smpi: its ranks are threads of one process with one set of limits
 * timeout: 120
 * Shm_direct reads the arrays of ADCL_Vector_allocate in place. Tests the arrays for which it is applicable, arrays
 * without shared memory, and that an operation is complete when all its ranks have started it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

enum { points = 1000, halo = 3 };

static MPI_Comm ring;
static ADCL_Vmap vmap;
static ADCL_Topology topo;

/* Replaces the call with which the library reserves shared memory. */
static int no_space;
int posix_fallocate(int file, off_t begin, off_t bytes) {
  if (no_space) {
    return ENOSPC;
  }
  return ftruncate(file, begin + bytes) == 0 ? 0 : errno;
}

static int before(void) { return (harness_rank() + harness_size() - 1) % harness_size(); }
static int after(void) { return (harness_rank() + 1) % harness_size(); }

static double value(int rank, int point, int round) { return 1e6 * rank + point + 0.001 * round; }

static void fill(double *line, int round) {
  for (int i = 0; i < points; ++i) {
    line[i] = value(harness_rank(), i, round);
  }
}

static int arrived(const double *line, int round) {
  int right = 1;
  for (int i = 0; i < halo; ++i) {
    right &= line[i] == value(before(), points - 2 * halo + i, round);
    right &= line[points - halo + i] == value(after(), halo + i, round);
  }
  for (int i = halo; i < points - halo; ++i) {
    right &= line[i] == value(harness_rank(), i, round);
  }
  return right;
}

static double *allocated(ADCL_Vector *vec) {
  const int dims[1] = {points};
  double *line = NULL;
  OK(ADCL_Vector_allocate(1, dims, 0, MPI_DOUBLE, &line, vec));
  for (int i = 0; i < points; ++i) {
    CHECK(line[i] == 0.0);
  }
  return line;
}

static ADCL_Vector registered(double *line) {
  const int dims[1] = {points};
  ADCL_Vector vec = ADCL_VECTOR_NULL;
  OK(ADCL_Vector_register(1, dims, 0, MPI_DOUBLE, line, &vec));
  return vec;
}

static ADCL_Request request_of(ADCL_Vector vec) {
  ADCL_Request request = ADCL_REQUEST_NULL;
  OK(ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  return request;
}

static void exchange(ADCL_Request request, double *line, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    fill(line, round);
    OK(ADCL_Request_start(request));
    CHECK(arrived(line, round));
    fill(line, round + 500);
    OK(ADCL_Request_init(request));
    OK(ADCL_Request_wait(request));
    CHECK(arrived(line, round + 500));
  }
}

static void expect_refused(ADCL_Vector vec, const char *why) {
  ADCL_Request request = ADCL_REQUEST_NULL;
  FAILS(ADCL_ERR_NO_CODELET, why, ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
}

/* True for a single rank, which has no neighbor that must read its array. */
static int alone(void) { return harness_size() == 1; }

/* The array remains after its handle is freed, as long as a request uses it, and a new array does not affect it. */
static void freed_array(void) {
  ADCL_Vector first, second;
  double *one = allocated(&first);
  ADCL_Request of_first = request_of(first);
  double *two;
  ADCL_Request of_second;
  exchange(of_first, one, 3);
  OK(ADCL_Vector_free(&first));
  two = allocated(&second);
  CHECK(one != two);
  of_second = request_of(second);
  exchange(of_first, one, 3);
  exchange(of_second, two, 3);
  OK(ADCL_Request_free(&of_first));
  exchange(of_second, two, 3);
  OK(ADCL_Request_free(&of_second));
  OK(ADCL_Vector_free(&second));
}

static void application_arrays(void) {
  static double line[points];
  ADCL_Vector vec = registered(line);
  ADCL_Vector large, part;
  const int dims[1] = {2 * points};
  double *both = NULL;
  ADCL_Request request;
  if (!alone()) {
    expect_refused(vec, "ADCL_Vector_allocate allocates memory that can be shared");
  }
  OK(ADCL_Vector_deregister(&vec));
  /* Part of an array from ADCL_Vector_allocate that is freed before the part is used. */
  OK(ADCL_Vector_allocate(1, dims, 0, MPI_DOUBLE, &both, &large));
  part = registered(both + 7);
  request = request_of(part);
  exchange(request, both + 7, 3);
  if (!alone()) {
    OK(ADCL_Vector_rebind(part, line));
    fill(line, 0);
    FAILS(ADCL_ERR_NO_CODELET, "has moved", ADCL_Request_start(request));
  }
  OK(ADCL_Request_free(&request));
  OK(ADCL_Vector_deregister(&part));
  part = registered(both + points + 1); /* one element too long */
  if (!alone()) {
    expect_refused(part, "the application allocated the array");
  }
  OK(ADCL_Vector_deregister(&part));
  OK(ADCL_Vector_free(&large));
}

/* An array is private on rank 0 only: all ranks get its reason; all other codelets work. */
static void expect_not_applicable(const char *why) {
  ADCL_Vector vec;
  ADCL_Request request;
  double *line = allocated(&vec);
  if (!alone()) {
    expect_refused(vec, why);
  }
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao,Shm_window,Shm_direct"));
  request = request_of(vec);
  exchange(request, line, 40);
  OK(ADCL_Request_free(&request));
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:Shm_direct"));
  OK(ADCL_Vector_free(&vec));
}

static struct rlimit limited(int resource, rlim_t soft) {
  struct rlimit old, changed;
  getrlimit(resource, &old);
  changed = old;
  if (harness_rank() == 0) {
    changed.rlim_cur = soft;
    setrlimit(resource, &changed);
  }
  return old;
}

static void shared_memory_fails(void) {
  struct rlimit old;
  ADCL_Vector vec;
  ADCL_Request request;
  double *line;
  no_space = harness_rank() == 0;
  line = allocated(&vec);
  no_space = 0;
  if (!alone()) {
    expect_refused(vec, "cannot reserve");
  }
  OK(ADCL_Vector_free(&vec));
  old = limited(RLIMIT_FSIZE, 2048); /* a file beyond it would end the process */
  line = allocated(&vec);
  setrlimit(RLIMIT_FSIZE, &old);
  if (!alone()) {
    expect_refused(vec, "ulimit -f");
  }
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao"));
  request = request_of(vec);
  exchange(request, line, 2);
  OK(ADCL_Request_free(&request));
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:Shm_direct"));
  OK(ADCL_Vector_free(&vec));
  if (harness_rank() == 0) {
    OK(ADCL_Option_set("ADCL_VECTOR_MEMORY", "private"));
  }
  expect_not_applicable("ADCL_VECTOR_MEMORY is private");
  OK(ADCL_Option_set("ADCL_VECTOR_MEMORY", "shared"));
}

/* The library leaves most file descriptors to the application. */
static void many_vectors(void) {
  enum { most = 40 };
  ADCL_Vector vectors[most];
  struct rlimit old = limited(RLIMIT_NOFILE, 4 * (most - 1));
  for (int i = 0; i < most; ++i) {
    vectors[i] = ADCL_VECTOR_NULL;
    allocated(&vectors[i]);
  }
  setrlimit(RLIMIT_NOFILE, &old);
  if (!alone()) {
    expect_refused(vectors[most - 1], "ulimit -n");
  }
  for (int i = 0; i < most; ++i) {
    OK(ADCL_Vector_free(&vectors[i]));
  }
}

/* The array does not count as memory of a plan. */
static void memory_limit(void) {
  ADCL_Vector vec;
  ADCL_Request request;
  double *line = allocated(&vec);
  OK(ADCL_Option_set("ADCL_MEMORY_LIMIT", "6000"));
  request = request_of(vec);
  exchange(request, line, 2);
  OK(ADCL_Request_free(&request));
  OK(ADCL_Option_set("ADCL_MEMORY_LIMIT", "100"));
  expect_refused(vec, "ADCL_MEMORY_LIMIT");
  OK(ADCL_Option_set("ADCL_MEMORY_LIMIT", "0"));
  OK(ADCL_Vector_free(&vec));
}

/* A child process shares the memory; its end does not affect the parent. */
static void fork_shares_memory(void) {
  ADCL_Vector vec;
  double *line = allocated(&vec);
  ADCL_Request request = request_of(vec);
  int status = 1;
  pid_t child;
  exchange(request, line, 2);
  line[points / 2] = 1.0;
  child = fork();
  if (child == 0) {
    const int seen = line[points / 2] == 1.0;
    line[points / 2] = 2.0;
    _exit(seen ? 0 : 1);
  }
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  CHECK(line[points / 2] == 2.0); /* as documented in ADCL.h */
  exchange(request, line, 2);
  OK(ADCL_Request_free(&request));
  OK(ADCL_Vector_free(&vec));
}

/* A rank's wait completes although other ranks wait for their operations only after it. */
static void wait_needs_starts_only(void) {
  ADCL_Vector a, b;
  double *one = allocated(&a), *two = allocated(&b);
  ADCL_Request of_one = request_of(a), of_two = request_of(b);
  for (int round = 0; round < 20; ++round) {
    const int first = round % harness_size();
    fill(one, round);
    fill(two, round + 100);
    OK(ADCL_Request_init(of_one));
    OK(ADCL_Request_init(of_two));
    if (harness_rank() == first) {
      int done = 0;
      while (round % 2 == 1 && !done) {
        OK(ADCL_Request_test(of_two, &done));
      }
      if (round % 2 == 0) {
        OK(ADCL_Request_wait(of_two));
      }
      CHECK(arrived(two, round + 100));
      fill(two, -1); /* the other ranks may not have read the array yet */
    }
    MPI_Bcast(&round, 1, MPI_INT, first, MPI_COMM_WORLD);
    OK(ADCL_Request_wait(of_one));
    CHECK(arrived(one, round));
    if (harness_rank() != first) {
      OK(ADCL_Request_wait(of_two));
      CHECK(arrived(two, round + 100));
    }
  }
  OK(ADCL_Request_free(&of_one));
  OK(ADCL_Request_free(&of_two));
  OK(ADCL_Vector_free(&a));
  OK(ADCL_Vector_free(&b));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:Shm_direct"));
  ring = harness_cart(1, 1);
  OK(ADCL_Vmap_halo_allocate(halo, &vmap));
  OK(ADCL_Topology_create(ring, 0, &topo));
  freed_array();
  application_arrays();
  shared_memory_fails();
  many_vectors();
  memory_limit();
  fork_shares_memory();
  wait_needs_starts_only();
  OK(ADCL_Vmap_free(&vmap));
  OK(ADCL_Topology_free(&topo));
  MPI_Comm_free(&ring);
  OK(ADCL_Finalize());
  return harness_verdict();
}
