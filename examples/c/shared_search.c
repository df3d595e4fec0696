/* ranks: 1 2 3 4
 * Requests that differ only in the vector share one search, as in Fig. 5.2 of the thesis. One iteration exchanges
 * seven fields of a flow solver with five variables each. Each exchange contributes one measurement to the shared
 * search. */
#include <ADCL.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS 24
#define HALO 1
#define WIDTH (CELLS + 2 * HALO)
#define POINTS (WIDTH * WIDTH * WIDTH)
#define NVAR 5
#define FIELDS 7
#define ITERATIONS 200

static void check(int code, const char *call) {
  if (code != ADCL_SUCCESS) {
    fprintf(stderr, "%s: %s (%s)\n", call, ADCL_Error_string(code), ADCL_Last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

/* Value of all cells of a field on rank `owner` after `iteration`: it identifies the owner of a received cell. */
static double value_of(int owner, int field, int iteration) { return owner * 1000.0 + field * 100.0 + iteration % 97; }

static void fill(double *data, int entries, double value) {
  for (int i = 0; i < POINTS * entries; ++i) {
    data[i] = value;
  }
}

/* The middle point of the halo face in dimension d on the given side. */
static int face_point(int d, int high) {
  int index[3] = {WIDTH / 2, WIDTH / 2, WIDTH / 2};
  index[d] = high ? WIDTH - 1 : 0;
  return (index[0] * WIDTH + index[1]) * WIDTH + index[2];
}

int main(int argc, char **argv) {
  int dims[3] = {WIDTH, WIDTH, WIDTH};
  int cart_dims[3] = {0, 0, 0};
  int periods[3] = {1, 1, 1};
  int size;
  int rank;
  int failures = 0;
  int searching = 0;
  MPI_Comm cart;
  ADCL_Topology topo;
  ADCL_Vmap vmap;
  ADCL_Vector vectors[FIELDS];
  ADCL_Request requests[FIELDS];
  double *fields[FIELDS];

  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 3, cart_dims);
  MPI_Cart_create(MPI_COMM_WORLD, 3, cart_dims, periods, 0, &cart);
  MPI_Comm_rank(cart, &rank);

  check(ADCL_Init(), "ADCL_Init");
  check(ADCL_Topology_create(cart, 0, &topo), "ADCL_Topology_create");
  check(ADCL_Vmap_halo_allocate(HALO, &vmap), "ADCL_Vmap_halo_allocate");
  for (int f = 0; f < FIELDS; ++f) {
    fields[f] = malloc(sizeof(double) * POINTS * NVAR);
    check(ADCL_Vector_register(3, dims, NVAR, MPI_DOUBLE, fields[f], &vectors[f]), "ADCL_Vector_register");
    check(ADCL_Request_create(vectors[f], vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &requests[f]), "ADCL_Request_create");
  }

  for (int iteration = 0; iteration < ITERATIONS; ++iteration) {
    int state;
    check(ADCL_Request_get_state(requests[0], &state), "ADCL_Request_get_state");
    searching += state == ADCL_STATE_SEARCH;
    for (int f = 0; f < FIELDS; ++f) {
      fill(fields[f], NVAR, value_of(rank, f, iteration));
      check(ADCL_Request_start(requests[f]), "ADCL_Request_start");
      for (int d = 0; d < 3; ++d) {
        int left;
        int right;
        MPI_Cart_shift(cart, d, 1, &left, &right);
        failures += fields[f][face_point(d, 0) * NVAR] != value_of(left, f, iteration);
        failures += fields[f][face_point(d, 1) * NVAR + NVAR - 1] != value_of(right, f, iteration);
      }
    }
  }

  char first[ADCL_MAX_NAME];
  char last[ADCL_MAX_NAME];
  check(ADCL_Request_get_winner(requests[0], first, sizeof first), "ADCL_Request_get_winner");
  check(ADCL_Request_get_winner(requests[FIELDS - 1], last, sizeof last), "ADCL_Request_get_winner");
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%d requests searched together for %d of %d iterations; winners %s and %s; %d wrong values\n", FIELDS,
           searching, ITERATIONS, first, last, failures);
  }

  check(ADCL_Topology_free(&topo), "ADCL_Topology_free");
  for (int f = 0; f < FIELDS; ++f) {
    check(ADCL_Request_free(&requests[f]), "ADCL_Request_free");
    check(ADCL_Vector_deregister(&vectors[f]), "ADCL_Vector_deregister");
    free(fields[f]);
  }
  check(ADCL_Vmap_free(&vmap), "ADCL_Vmap_free");
  check(ADCL_Finalize(), "ADCL_Finalize");
  MPI_Comm_free(&cart);
  MPI_Finalize();
  return failures != 0;
}
