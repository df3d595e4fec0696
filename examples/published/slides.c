/* ranks: 1 2 3 4
 * The code sample of the slides of HIPS 2007 with the interface of ADCL 1.x: it registers a matrix of the program. */
#include "ADCL_v1.h"
#include "checked.h"

#define NIT 200
#define HALO_WIDTH HWIDTH

static double vector[ROWS][COLUMNS];

int main(int argc, char **argv) {
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm cart_comm;
  int ndims = 2;
  int vec_dims[2] = {ROWS, COLUMNS};
  int cart_dims[2] = {0, 0};
  int periods[2] = {0, 0};
  int coords[2];
  int rank;
  int size;
  int failures = 0;
  int right;
  int i;
  int row;
  int column;
  ADCL_Vector vec;
  ADCL_Topology topo;
  ADCL_Request request;

  MPI_Init(&argc, &argv);
  ADCL_Init();
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Dims_create(size, ndims, cart_dims);

  /* Generate a 2-D process topology */
  MPI_Cart_create(comm, 2, cart_dims, periods, 0, &cart_comm);
  ADCL_Topology_create(cart_comm, &topo);
  MPI_Cart_coords(cart_comm, rank, ndims, coords);

  check(ADCL_Vector_register(ndims, vec_dims, HALO_WIDTH, MPI_DOUBLE, vector, &vec), "ADCL_Vector_register",
        ADCL_Last_error());
  check(ADCL_Request_create(vec, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request), "ADCL_Request_create", ADCL_Last_error());

  for (i = 0; i < NIT; i++) {
    for (row = 0; row < ROWS; row++) {
      for (column = 0; column < COLUMNS; column++) {
        vector[row][column] = cell_before(coords, cart_dims, row, column, i);
      }
    }
    ADCL_Request_start(request);
    for (row = 0; row < ROWS; row++) {
      for (column = 0; column < COLUMNS; column++) {
        failures += vector[row][column] != cell_after(coords, cart_dims, row, column, i);
      }
    }
  }
  right = all_right(failures, cart_comm, rank);

  ADCL_Request_free(&request);
  ADCL_Vector_deregister(&vec);
  ADCL_Topology_free(&topo);
  MPI_Comm_free(&cart_comm);
  ADCL_Finalize();
  MPI_Finalize();
  return right ? 0 : 1;
}
