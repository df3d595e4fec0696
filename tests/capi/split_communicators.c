/* ranks: 1 2 3 4
 * large: 6
 * timeout: 60
 * The parts of a split communicator exchange at the same time, each with its own request, which is created and freed
 * many times. The parts must not interfere; windows of Open MPI 4 do (open-mpi issue 9492). */
#include "harness.h"

enum { points = 20, cycles_with_windows = 60, cycles_with_all = 3 };

struct ring {
  MPI_Comm comm;
  int rank;
  int size;
};

static struct ring ring_of(MPI_Comm members) {
  const int periods[1] = {1};
  struct ring ring;
  MPI_Comm_size(members, &ring.size);
  MPI_Cart_create(members, 1, &ring.size, periods, 0, &ring.comm);
  MPI_Comm_rank(ring.comm, &ring.rank);
  return ring;
}

static double value(int part, int rank, int point, int round) {
  return 1e4 * part + 100.0 * rank + point + 1e-3 * round;
}

/* Exchanges `rounds` times; true if all halos are right. Each part has its own number of rounds. */
static int exchanges(const struct ring *ring, int part, int rounds) {
  const int dims[1] = {points};
  const int left = (ring->rank + ring->size - 1) % ring->size;
  const int right = (ring->rank + 1) % ring->size;
  double line[points];
  int wrong = 0;
  ADCL_Request request;
  OK(ADCL_Halo_init(ADCL_HALO(line, 1, dims, 0, 1, MPI_DOUBLE), ring->comm, &request));
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < points; ++i) {
      line[i] = value(part, ring->rank, i, round);
    }
    OK(ADCL_Request_start(request));
    wrong += line[0] != value(part, left, points - 2, round);
    wrong += line[points - 1] != value(part, right, 1, round);
  }
  OK(ADCL_Request_free(&request));
  return wrong;
}

/* On a communicator of all processes, one-sided codelets are applicable if the library supports them. */
static void whole_communicator(void) {
  struct ring all = ring_of(MPI_COMM_WORLD);
  const int several = all.size > 1;
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
  OK(ADCL_Option_set("ADCL_CODELETS", several ? "neighborhood:WinfencePut_aao" : "neighborhood:IsIr_aao"));
#endif
  CHECK(exchanges(&all, 2, several ? 5 : 1) == 0);
  OK(ADCL_Option_set("ADCL_CODELETS", ""));
  MPI_Comm_free(&all.comm);
}

static void exchange_in_parts(const char *codelets, int cycles, int rounds) {
  const int part = harness_rank() % 2;
  OK(ADCL_Option_set("ADCL_CODELETS", codelets));
  for (int cycle = 0; cycle < cycles; ++cycle) {
    MPI_Comm members;
    MPI_Comm_split(MPI_COMM_WORLD, part, harness_rank(), &members);
    struct ring ring = ring_of(members);
    CHECK(exchanges(&ring, part, rounds + (cycle + part) % 5) == 0);
    MPI_Comm_free(&ring.comm);
    MPI_Comm_free(&members);
  }
  OK(ADCL_Option_set("ADCL_CODELETS", ""));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "1"));
  exchange_in_parts("neighborhood:IsIr_aao,WinfencePut_aao,PostStartPut_pair,PassivePut_notify", cycles_with_windows,
                    6);
  exchange_in_parts("", cycles_with_all, 50);
  whole_communicator();
  OK(ADCL_Finalize());
  return harness_verdict();
}
