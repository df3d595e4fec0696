/* ranks: 1 2 3 4
 * The interfaces that section 4.1.2 of the thesis introduces: the halo belongs to a vmap, and the root to the topology.
 */
#include "ADCL.h"
#include "checked.h"

#define NIT 200

int main(int argc, char **argv) {
  MPI_Comm comm;
  int ndims = 2;
  int dims[2] = {ROWS, COLUMNS};
  int nc = 0;
  int hwidth = HWIDTH;
  int root = 0;
  MPI_Datatype dat = MPI_DOUBLE;
  double(*data)[COLUMNS];
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
  ADCL_Vmap vmap;
  ADCL_Vector vec;
  ADCL_Topology topo;
  ADCL_Request request;

  MPI_Init(&argc, &argv);
  ADCL_Init();
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, ndims, cart_dims);
  MPI_Cart_create(MPI_COMM_WORLD, ndims, cart_dims, periods, 0, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Cart_coords(comm, rank, ndims, coords);

  ADCL_Vmap_halo_allocate(hwidth, &vmap);
  check(ADCL_Vector_allocate(ndims, dims, nc, dat, &data, &vec), "ADCL_Vector_allocate", ADCL_Last_error());
  ADCL_Topology_create(comm, root, &topo);
  check(ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request), "ADCL_Request_create",
        ADCL_Last_error());

  for (i = 0; i < NIT; i++) {
    for (row = 0; row < ROWS; row++) {
      for (column = 0; column < COLUMNS; column++) {
        data[row][column] = cell_before(coords, cart_dims, row, column, i);
      }
    }
    ADCL_Request_start(request);
    for (row = 0; row < ROWS; row++) {
      for (column = 0; column < COLUMNS; column++) {
        failures += data[row][column] != cell_after(coords, cart_dims, row, column, i);
      }
    }
  }
  right = all_right(failures, comm, rank);

  ADCL_Request_free(&request);
  ADCL_Topology_free(&topo);
  ADCL_Vector_free(&vec);
  ADCL_Vmap_free(&vmap);
  MPI_Comm_free(&comm);
  ADCL_Finalize();
  MPI_Finalize();
  return right ? 0 : 1;
}
