/* ranks: 2
 * alone
 * not smpi: its library is linked statically, and the call below cannot be replaced
 * If a busy process takes every yielded core, ranks that exchange through shared memory spin before they yield
 * again, so not every exchange yields. The first part simulates sched_yield: the core is busy for 2 ms. */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness.h"

enum { points = 18, long_waits = 20, exchanges = 300, away_us = 2000, attempts = 20 };

static int core_is_busy; /* another process takes the yielded core */
static int exchanging;
static int given_away;

int sched_yield(void) {
  given_away += exchanging;
  if (core_is_busy) {
    usleep(away_us);
  }
  return (int)syscall(SYS_sched_yield);
}

/* Binds each rank to its own core: on a shared core, ranks would have to yield to each other. */
static void bind_to_core(void) {
  cpu_set_t allowed, own;
  int left = harness_rank();
  CPU_ZERO(&own);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < harness_size()) {
    return;
  }
  for (size_t core = 0; core < CPU_SETSIZE && CPU_COUNT(&own) == 0; ++core) {
    if (CPU_ISSET(core, &allowed) && left-- == 0) {
      CPU_SET(core, &own);
    }
  }
  sched_setaffinity(0, sizeof own, &own);
}

static void exchange_all(const char *codelet) {
  static double array[points * points];
  const int dims[2] = {points, points}, procs[2] = {2, 1}, periods[2] = {1, 0};
  char chosen[ADCL_MAX_NAME];
  MPI_Comm cart;
  ADCL_Vector vector;
  ADCL_Vmap vmap;
  ADCL_Topology topology;
  ADCL_Request request;
  int i, attempt, impatient = exchanges;
  snprintf(chosen, sizeof chosen, "neighborhood:%s", codelet);
  OK(ADCL_Option_set("ADCL_CODELETS", chosen));
  MPI_Cart_create(MPI_COMM_WORLD, 2, procs, periods, 0, &cart);
  OK(ADCL_Vector_register(2, dims, 0, MPI_DOUBLE, array, &vector));
  OK(ADCL_Vmap_halo_allocate(1, &vmap));
  OK(ADCL_Topology_create(cart, 0, &topology));
  OK(ADCL_Request_create(vector, vmap, topology, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  OK(ADCL_Request_start(request));
  MPI_Barrier(cart);
  /* Repeats the test, because another process may run at the same time. */
  for (attempt = 0; attempt < attempts && impatient > exchanges / 4; ++attempt) {
    exchanging = core_is_busy = 1;
    given_away = 0;
    for (i = 0; i < long_waits; ++i) {
      if (harness_rank() == 1) {
        usleep(1000);
      }
      OK(ADCL_Request_start(request));
    }
    CHECK(harness_rank() == 1 || given_away > 0);
    core_is_busy = impatient = 0;
    for (i = 0; i < exchanges; ++i) {
      given_away = 0;
      OK(ADCL_Request_start(request));
      impatient += given_away > 0;
    }
    exchanging = 0;
    MPI_Allreduce(MPI_IN_PLACE, &impatient, 1, MPI_INT, MPI_MAX, cart);
  }
  if (impatient > exchanges / 4) {
    fprintf(stderr, "%s: the core was yielded in %d of %d exchanges\n", codelet, impatient, (int)exchanges);
  }
  CHECK(impatient <= exchanges / 4);
  OK(ADCL_Request_free(&request));
  OK(ADCL_Topology_free(&topology));
  OK(ADCL_Vmap_free(&vmap));
  OK(ADCL_Vector_deregister(&vector));
  MPI_Comm_free(&cart);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  bind_to_core();
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_HISTORY", "off"));
  exchange_all("Shm_window");
  exchange_all("Shm_joined");
  OK(ADCL_Finalize());
  return harness_verdict();
}
