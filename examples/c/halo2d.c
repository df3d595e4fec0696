/* ranks: 1 2 3 4
 * A two-dimensional halo exchange: the code sample of the thesis (section 3.3.1) with the final interface (section
 * 4.1.2). The value of each cell identifies its position in the whole matrix, so each received halo cell can be
 * checked. */
#include <ADCL.h>
#include <stdio.h>

#define DIM0 100
#define DIM1 80
#define HWIDTH 1
#define ITERATIONS 500

static int failures = 0;

static void check(int code, const char *call) {
  if (code != ADCL_SUCCESS) {
    fprintf(stderr, "%s: %s (%s)\n", call, ADCL_Error_string(code), ADCL_Last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

/* Value of cell (i, j) of a block, halo included, of the process at `coords`; wraps around periodic borders. */
static double number_of(const int *coords, const int *cart_dims, int i, int j, int iteration) {
  int rows = cart_dims[0] * DIM0;
  int columns = cart_dims[1] * DIM1;
  int row = (coords[0] * DIM0 + i - HWIDTH + rows) % rows;
  int column = (coords[1] * DIM1 + j - HWIDTH + columns) % columns;
  return (double)row * columns + column + iteration;
}

static void matrix_init(double (*matrix)[DIM1 + 2 * HWIDTH], const int *coords, const int *cart_dims, int iteration) {
  for (int i = 0; i < DIM0 + 2 * HWIDTH; ++i) {
    for (int j = 0; j < DIM1 + 2 * HWIDTH; ++j) {
      int inside = i >= HWIDTH && i < DIM0 + HWIDTH && j >= HWIDTH && j < DIM1 + HWIDTH;
      matrix[i][j] = inside ? number_of(coords, cart_dims, i, j, iteration) : -1.0;
    }
  }
}

static void matrix_check(double (*matrix)[DIM1 + 2 * HWIDTH], const int *coords, const int *cart_dims, int iteration) {
  for (int i = 0; i < DIM0 + 2 * HWIDTH; ++i) {
    for (int j = 0; j < DIM1 + 2 * HWIDTH; ++j) {
      int halo_row = i < HWIDTH || i >= DIM0 + HWIDTH;
      int halo_column = j < HWIDTH || j >= DIM1 + HWIDTH;
      /* A Cartesian halo has no corners; dimension 0 is periodic, dimension 1 has borders. */
      int at_border = (j < HWIDTH && coords[1] == 0) || (j >= DIM1 + HWIDTH && coords[1] == cart_dims[1] - 1);
      double expected = (halo_row && halo_column) || at_border ? -1.0 : number_of(coords, cart_dims, i, j, iteration);
      failures += matrix[i][j] != expected;
    }
  }
}

int main(int argc, char **argv) {
  int ndims = 2;
  int vec_dims[2] = {DIM0 + 2 * HWIDTH, DIM1 + 2 * HWIDTH};
  int cart_dims[2] = {0, 0};
  int periods[2] = {1, 0};
  int coords[2];
  int rank;
  int size;
  double(*matrix)[DIM1 + 2 * HWIDTH];
  MPI_Comm cart_comm;
  ADCL_Vector vec;
  ADCL_Vmap vmap;
  ADCL_Topology topo;
  ADCL_Request request;

  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check(ADCL_Init(), "ADCL_Init");

  check(ADCL_Vector_allocate(ndims, vec_dims, 0, MPI_DOUBLE, &matrix, &vec), "ADCL_Vector_allocate");
  check(ADCL_Vmap_halo_allocate(HWIDTH, &vmap), "ADCL_Vmap_halo_allocate");

  MPI_Dims_create(size, ndims, cart_dims);
  MPI_Cart_create(MPI_COMM_WORLD, ndims, cart_dims, periods, 0, &cart_comm);
  MPI_Comm_rank(cart_comm, &rank);
  MPI_Cart_coords(cart_comm, rank, ndims, coords);
  check(ADCL_Topology_create(cart_comm, 0, &topo), "ADCL_Topology_create");

  check(ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request), "ADCL_Request_create");

  for (int iteration = 0; iteration < ITERATIONS; ++iteration) {
    matrix_init(matrix, coords, cart_dims, iteration);
    check(ADCL_Request_start(request), "ADCL_Request_start");
    matrix_check(matrix, coords, cart_dims, iteration);
  }

  char winner[ADCL_MAX_NAME];
  check(ADCL_Request_get_winner(request, winner, sizeof winner), "ADCL_Request_get_winner");
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%d iterations on %d ranks, %d wrong cells, winner: %s\n", ITERATIONS, size, failures,
           winner[0] != '\0' ? winner : "none yet");
  }

  check(ADCL_Request_free(&request), "ADCL_Request_free");
  check(ADCL_Topology_free(&topo), "ADCL_Topology_free");
  check(ADCL_Vmap_free(&vmap), "ADCL_Vmap_free");
  check(ADCL_Vector_free(&vec), "ADCL_Vector_free");
  MPI_Comm_free(&cart_comm);
  check(ADCL_Finalize(), "ADCL_Finalize");
  MPI_Finalize();
  return failures != 0;
}
