/* ranks: 1 2 3 4
 * The code sample of the thesis (section 3.3.1) with the interface of ADCL 1.x: a halo exchange of a matrix. */
#include "mpi.h"

#include "ADCL_v1.h"
#include "checked.h"

#define NIT 200

int main(int argc, char **argv) {
  int ndims = 2; /* number of dimensions */
  int vec_dims[2] = {ROWS, COLUMNS};
  double ***matrix; /* ADCL allocates it; matrix[i][j] has nc entries */
  int nc = 1;       /* entries per grid point */
  int hwidth = HWIDTH;
  int rank;
  int size;
  int cart_dims[] = {0, 0};
  int periods[] = {0, 0}; /* not a periodic grid */
  int coords[2];
  int failures = 0;
  int right;
  MPI_Comm cart_comm;
  ADCL_Vector adcl_vec;
  ADCL_Topology adcl_topo;
  ADCL_Request adcl_request;
  int i;
  int row;
  int column;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  ADCL_Init();

  check(ADCL_Vector_allocate(ndims, vec_dims, nc, ADCL_VECTOR_HALO, hwidth, MPI_DOUBLE, &matrix, &adcl_vec),
        "ADCL_Vector_allocate", ADCL_Last_error());

  /* Generate a 2-D process topology */
  MPI_Dims_create(size, ndims, cart_dims);
  MPI_Cart_create(MPI_COMM_WORLD, ndims, cart_dims, periods, 0, &cart_comm);
  ADCL_Topology_create(cart_comm, &adcl_topo);
  MPI_Cart_coords(cart_comm, rank, ndims, coords);

  check(ADCL_Request_create(adcl_vec, adcl_topo, ADCL_FNCTSET_NEIGHBORHOOD, &adcl_request), "ADCL_Request_create",
        ADCL_Last_error());

  for (i = 0; i < NIT; i++) {
    for (row = 0; row < ROWS; row++) {
      for (column = 0; column < COLUMNS; column++) {
        matrix[row][column][0] = cell_before(coords, cart_dims, row, column, i);
      }
    }
    ADCL_Request_start(adcl_request);
    for (row = 0; row < ROWS; row++) {
      for (column = 0; column < COLUMNS; column++) {
        failures += matrix[row][column][0] != cell_after(coords, cart_dims, row, column, i);
      }
    }
  }
  right = all_right(failures, cart_comm, rank);

  ADCL_Request_free(&adcl_request);
  ADCL_Topology_free(&adcl_topo);
  ADCL_Vector_free(&adcl_vec);
  MPI_Comm_free(&cart_comm);

  ADCL_Finalize();
  MPI_Finalize();
  return right ? 0 : 1;
}
