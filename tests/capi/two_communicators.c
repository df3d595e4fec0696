/* ranks: 1 2 3 4
 * large: 5
 * timeout: 240
 * Requests of several communicators, interleaved and in flight together, on sub-communicators and reordered
 * communicators, with different progress on different ranks. */
#include "harness.h"

#define POINTS 20
#define ROUNDS 60

/* A ring of the communicator's processes with one exchanged line per process. */
struct ring {
  MPI_Comm comm;
  int rank;
  int size;
  double line[POINTS];
  ADCL_Request request;
};

static void open_ring(struct ring *ring, MPI_Comm members) {
  const int dims[1] = {POINTS};
  int periodic = 1;
  MPI_Comm_size(members, &ring->size);
  MPI_Cart_create(members, 1, &ring->size, &periodic, 0, &ring->comm);
  MPI_Comm_rank(ring->comm, &ring->rank);
  OK(ADCL_Halo_init(ADCL_HALO(ring->line, 1, dims, 0, 1, MPI_DOUBLE), ring->comm, &ring->request));
}

static void close_ring(struct ring *ring) {
  OK(ADCL_Request_free(&ring->request));
  MPI_Comm_free(&ring->comm);
}

static void fill(struct ring *ring, int round) {
  for (int i = 0; i < POINTS; ++i) {
    ring->line[i] = 1000.0 * ring->rank + i + 0.001 * round;
  }
}

static void verify(const struct ring *ring, int round) {
  const int left = (ring->rank + ring->size - 1) % ring->size;
  const int right = (ring->rank + 1) % ring->size;
  CHECK(ring->line[0] == 1000.0 * left + (POINTS - 2) + 0.001 * round);
  CHECK(ring->line[POINTS - 1] == 1000.0 * right + 1 + 0.001 * round);
}

/* Completes two operations in an order that differs between ranks. */
static void in_flight_together(struct ring *first, struct ring *second, int round) {
  fill(first, round);
  fill(second, round);
  OK(ADCL_Request_init(first->request));
  OK(ADCL_Request_init(second->request));
  if (harness_rank() % 2 == 0) {
    OK(ADCL_Request_wait(first->request));
    OK(ADCL_Request_wait(second->request));
  } else {
    int flag = 0;
    for (int turn = 0; flag == 0; ++turn) {
      OK(ADCL_Request_progress(first->request, turn % 3));
      OK(ADCL_Request_test(second->request, &flag));
    }
    OK(ADCL_Request_wait(first->request));
  }
  verify(first, round);
  verify(second, round);
}

static void sequential(struct ring *first, struct ring *second, int round) {
  fill(first, round);
  OK(ADCL_Request_start(first->request));
  verify(first, round);
  fill(second, round);
  OK(ADCL_Request_start(second->request));
  verify(second, round);
}

/* One operation is in flight while the other runs from beginning to end, including agreements and new plans. */
static void nested(struct ring *outer, struct ring *inner, int round) {
  fill(outer, round);
  fill(inner, round);
  OK(ADCL_Request_init(outer->request));
  OK(ADCL_Request_start(inner->request));
  OK(ADCL_Request_wait(outer->request));
  verify(inner, round);
  verify(outer, round);
}

int main(int argc, char **argv) {
  static struct ring all;
  static struct ring twin;
  static struct ring reversed;
  static struct ring half;
  MPI_Comm members;
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "3"));
  open_ring(&all, MPI_COMM_WORLD);
  open_ring(&twin, MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -harness_rank(), &members);
  open_ring(&reversed, members);
  MPI_Comm_free(&members);
  MPI_Comm_split(MPI_COMM_WORLD, harness_rank() % 2, harness_rank(), &members);
  open_ring(&half, members);
  MPI_Comm_free(&members);
  for (int round = 0; round < ROUNDS; ++round) {
    in_flight_together(&all, &reversed, round);
    in_flight_together(&twin, &all, round);
    in_flight_together(&half, &reversed, round);
    sequential(&all, &half, round);
    nested(&reversed, &all, round);
    nested(&all, &half, round);
  }
  close_ring(&all);
  close_ring(&half);
  close_ring(&twin);
  close_ring(&reversed);
  OK(ADCL_Finalize());
  return harness_verdict();
}
