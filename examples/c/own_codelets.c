/* ranks: 1 2 3 4
 * large: 5
 * Codelets of the application: three methods to pass a buffer around a ring, described by two attributes. The library
 * measures them during the first iterations and keeps the fastest. */
#include <ADCL.h>
#include <stdio.h>

#define COUNT 4096
#define ITERATIONS 120

/* Data of the codelets, passed as the context of the request. */
struct ring {
  double out[COUNT];
  double in[COUNT];
  MPI_Request pending[2];
};

static void check(int code, const char *call) {
  if (code != ADCL_SUCCESS) {
    fprintf(stderr, "%s: %s (%s)\n", call, ADCL_Error_string(code), ADCL_Last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static struct ring *ring_of(ADCL_Request request, MPI_Comm *comm, int *left, int *right) {
  void *context;
  int rank;
  int size;
  check(ADCL_Request_get_context(request, &context), "ADCL_Request_get_context");
  check(ADCL_Request_get_comm(request, comm, &rank, &size), "ADCL_Request_get_comm");
  *left = (rank + size - 1) % size;
  *right = (rank + 1) % size;
  return context;
}

static void by_sendrecv(ADCL_Request request) {
  MPI_Comm comm;
  int left;
  int right;
  struct ring *ring = ring_of(request, &comm, &left, &right);
  MPI_Sendrecv(ring->out, COUNT, MPI_DOUBLE, right, 0, ring->in, COUNT, MPI_DOUBLE, left, 0, comm, MPI_STATUS_IGNORE);
}

static void nonblocking_init(ADCL_Request request) {
  MPI_Comm comm;
  int left;
  int right;
  struct ring *ring = ring_of(request, &comm, &left, &right);
  MPI_Irecv(ring->in, COUNT, MPI_DOUBLE, left, 0, comm, &ring->pending[0]);
  MPI_Isend(ring->out, COUNT, MPI_DOUBLE, right, 0, comm, &ring->pending[1]);
}

static void nonblocking_wait(ADCL_Request request) {
  MPI_Comm comm;
  int left;
  int right;
  struct ring *ring = ring_of(request, &comm, &left, &right);
  MPI_Waitall(2, ring->pending, MPI_STATUSES_IGNORE);
}

static void in_chunks(ADCL_Request request) {
  MPI_Comm comm;
  int left;
  int right;
  const int chunk = COUNT / 8;
  struct ring *ring = ring_of(request, &comm, &left, &right);
  for (int begin = 0; begin < COUNT; begin += chunk) {
    MPI_Sendrecv(ring->out + begin, chunk, MPI_DOUBLE, right, 0, ring->in + begin, chunk, MPI_DOUBLE, left, 0, comm,
                 MPI_STATUS_IGNORE);
  }
}

int main(int argc, char **argv) {
  static struct ring ring;
  const int blocking_values[] = {0, 1};
  const char *blocking_names[] = {"nonblocking", "blocking"};
  const int pieces_values[] = {1, 8};
  const char *pieces_names[] = {"whole", "chunks"};
  ADCL_Attribute attributes[2];
  ADCL_Attrset attrset;
  ADCL_Function functions[3];
  ADCL_Fnctset set;
  ADCL_Request request;
  int rank;
  int size;
  int failures = 0;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check(ADCL_Init(), "ADCL_Init");
  check(ADCL_Attribute_create(2, blocking_values, blocking_names, "blocking", &attributes[0]), "ADCL_Attribute_create");
  check(ADCL_Attribute_create(2, pieces_values, pieces_names, "pieces", &attributes[1]), "ADCL_Attribute_create");
  check(ADCL_Attrset_create(2, attributes, &attrset), "ADCL_Attrset_create");
  check(ADCL_Function_create(by_sendrecv, attrset, (const int[]){1, 1}, "sendrecv", &functions[0]),
        "ADCL_Function_create");
  check(ADCL_Function_create_async(nonblocking_init, nonblocking_wait, attrset, (const int[]){0, 1}, "nonblocking",
                                   &functions[1]),
        "ADCL_Function_create_async");
  check(ADCL_Function_create(in_chunks, attrset, (const int[]){1, 8}, "chunks", &functions[2]), "ADCL_Function_create");
  check(ADCL_Fnctset_create(3, functions, "ring", &set), "ADCL_Fnctset_create");
  check(ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, ADCL_TOPOLOGY_NULL, set, &request),
        "ADCL_Request_create");
  check(ADCL_Request_set_context(request, &ring), "ADCL_Request_set_context");

  for (int iteration = 0; iteration < ITERATIONS; ++iteration) {
    for (int i = 0; i < COUNT; ++i) {
      ring.out[i] = rank * 1e6 + i + iteration;
    }
    check(ADCL_Request_start(request), "ADCL_Request_start");
    for (int i = 0; i < COUNT; ++i) {
      failures += ring.in[i] != (rank + size - 1) % size * 1e6 + i + iteration;
    }
  }

  char winner[ADCL_MAX_NAME];
  check(ADCL_Request_get_winner(request, winner, sizeof winner), "ADCL_Request_get_winner");
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%d iterations, %d wrong values, winner: %s\n", ITERATIONS, failures, winner);
  }
  check(ADCL_Request_free(&request), "ADCL_Request_free");
  check(ADCL_Fnctset_free(&set), "ADCL_Fnctset_free");
  for (int i = 0; i < 3; ++i) {
    check(ADCL_Function_free(&functions[i]), "ADCL_Function_free");
  }
  check(ADCL_Attrset_free(&attrset), "ADCL_Attrset_free");
  check(ADCL_Attribute_free(&attributes[0]), "ADCL_Attribute_free");
  check(ADCL_Attribute_free(&attributes[1]), "ADCL_Attribute_free");
  check(ADCL_Finalize(), "ADCL_Finalize");
  MPI_Finalize();
  return failures != 0;
}
