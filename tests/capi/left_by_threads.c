/* ranks: 1 2 3
 * not smpi: its ranks are threads, with one thread per rank
 * Topologies and requests that threads created in a different order on every rank and did not free: ADCL_Finalize frees
 * them in the same order on all ranks.
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <time.h>

#include "harness.h"

enum { points = 8, workers = 2 };

static double lines[workers][points];
static ADCL_Vector vectors[workers];
static MPI_Comm rings[workers];
static ADCL_Topology topologies[workers];
static ADCL_Vmap vmap;
static int failed[workers];

/* Odd ranks begin with the second communicator. After four starts, the codelet whose plan has a window of all ranks
 * is running. */
static void *work(void *argument) {
  const int worker = *(int *)argument;
  const struct timespec later = {0, 200000000};
  ADCL_Request request;
  if (worker != harness_rank() % workers) {
    nanosleep(&later, NULL);
  }
  failed[worker] += ADCL_Topology_create(rings[worker], 0, &topologies[worker]) != ADCL_SUCCESS;
  failed[worker] += ADCL_Request_create(vectors[worker], vmap, topologies[worker], ADCL_FNCTSET_NEIGHBORHOOD,
                                        &request) != ADCL_SUCCESS;
  for (int i = 0; i < 4; ++i) {
    failed[worker] += ADCL_Request_start(request) != ADCL_SUCCESS;
  }
  return NULL;
}

int main(int argc, char **argv) {
  const int dims[1] = {points};
  const int periods[1] = {1};
  int size;
  pthread_t threads[workers];
  int numbers[workers];
  if (!harness_threads(&argc, &argv)) {
    return 0;
  }
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "3"));
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao,Shm_window"));
  OK(ADCL_Vmap_halo_allocate(1, &vmap));
  size = harness_size();
  for (int i = 0; i < workers; ++i) {
    numbers[i] = i;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, periods, 0, &rings[i]);
    OK(ADCL_Vector_register(1, dims, 0, MPI_DOUBLE, lines[i], &vectors[i]));
  }
  for (int i = 0; i < workers; ++i) {
    CHECK(pthread_create(&threads[i], NULL, work, &numbers[i]) == 0);
  }
  for (int i = 0; i < workers; ++i) {
    pthread_join(threads[i], NULL);
    CHECK(failed[i] == 0);
  }
  OK(ADCL_Finalize());
  for (int i = 0; i < workers; ++i) {
    MPI_Comm_free(&rings[i]);
  }
  return harness_verdict();
}
