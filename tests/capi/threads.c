/* ranks: 1 2 3 4
 * timeout: 240
 * not smpi: its ranks are threads, with one thread per rank
 * MPI_THREAD_MULTIPLE: two communicators used from two threads at the same time, through search and production. */
#include <pthread.h>

#include "harness.h"

#define POINTS 64
#define ROUNDS 150

struct worker {
  MPI_Comm ring;
  int wrong;
  int failed;
};

static void *work(void *argument) {
  struct worker *worker = argument;
  const int dims[1] = {POINTS};
  double line[POINTS];
  int rank;
  int size;
  ADCL_Request request;
  MPI_Comm_rank(worker->ring, &rank);
  MPI_Comm_size(worker->ring, &size);
  worker->failed += ADCL_Halo_init(ADCL_HALO(line, 1, dims, 0, 1, MPI_DOUBLE), worker->ring, &request) != ADCL_SUCCESS;
  for (int round = 0; round < ROUNDS; ++round) {
    for (int i = 0; i < POINTS; ++i) {
      line[i] = 100.0 * rank + i + round * 0.5;
    }
    if (round % 3 == 2) {
      worker->failed += ADCL_Request_init(request) != ADCL_SUCCESS;
      worker->failed += ADCL_Request_wait(request) != ADCL_SUCCESS;
    } else {
      worker->failed += ADCL_Request_start(request) != ADCL_SUCCESS;
    }
    worker->wrong += line[0] != 100.0 * ((rank + size - 1) % size) + POINTS - 2 + round * 0.5;
    worker->wrong += line[POINTS - 1] != 100.0 * ((rank + 1) % size) + 1 + round * 0.5;
    /* each thread has its own last error */
    worker->wrong += ADCL_Request_wait(request) != ADCL_ERR_STATE;
    worker->wrong += strstr(ADCL_Last_error(), "ADCL_Request_wait") == NULL;
  }
  worker->failed += ADCL_Request_free(&request) != ADCL_SUCCESS;
  return NULL;
}

int main(int argc, char **argv) {
  int size;
  int periodic = 1;
  if (!harness_threads(&argc, &argv)) {
    return 0;
  }
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "3"));
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  struct worker workers[2] = {{MPI_COMM_NULL, 0, 0}, {MPI_COMM_NULL, 0, 0}};
  pthread_t threads[2];
  for (int w = 0; w < 2; ++w) {
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &workers[w].ring);
  }
  for (int w = 0; w < 2; ++w) {
    CHECK(pthread_create(&threads[w], NULL, work, &workers[w]) == 0);
  }
  for (int w = 0; w < 2; ++w) {
    pthread_join(threads[w], NULL);
    CHECK(workers[w].wrong == 0);
    CHECK(workers[w].failed == 0);
    MPI_Comm_free(&workers[w].ring);
  }
  OK(ADCL_Finalize());
  return harness_verdict();
}
