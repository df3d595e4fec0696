/* ranks: 1 2 3
 * valgrind: 1
 * Rare datatypes: with a Fortran precision, from constructors for large counts, and with a negative lower bound or
 * extent. */
#include "harness.h"

enum { points = 8 };

static MPI_Comm line;

/* An exchange of an allocated vector of the type; every byte that MPI may access must belong to the vector. */
static void exchange(MPI_Datatype type) {
  const int dims[1] = {points};
  void *data = NULL;
  ADCL_Vector vec;
  ADCL_Vmap vmap;
  ADCL_Topology topo;
  ADCL_Request request;
  OK(ADCL_Vector_allocate(1, dims, 0, type, &data, &vec));
  CHECK(((size_t)data & 63U) == 0);
  OK(ADCL_Vmap_halo_allocate(1, &vmap));
  OK(ADCL_Topology_create(line, 0, &topo));
  OK(ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  for (int i = 0; i < 3; ++i) {
    OK(ADCL_Request_start(request));
  }
  OK(ADCL_Request_free(&request));
  OK(ADCL_Topology_free(&topo));
  OK(ADCL_Vmap_free(&vmap));
  OK(ADCL_Vector_free(&vec));
}

#ifndef SMPI_H
static double *entry_at(void *data, MPI_Aint extent, int entry) { return (double *)((char *)data + entry * extent); }

/* Points of several entries whose type has a negative extent: points follow in descending order, and each value arrives
 * at its position, in an array of the library and in an array of the application. */
static void negative_extent(int ndims, int nc, MPI_Aint extent, int allocated) {
  static double memory[4 * points * 3 * 4];
  const int dims[2] = {points, 3};
  const int cart_dims[2] = {harness_size(), 1};
  const int periods[2] = {1, 0};
  const int widths[2] = {1, 0};
  const int row = (ndims == 2 ? 3 : 1) * nc; /* entries of a line across the ring */
  const int rank = harness_rank();
  const int size = harness_size();
  void *data = memory + 2 * points * 3 * 4;
  MPI_Comm ring;
  MPI_Datatype type;
  ADCL_Vector vec;
  ADCL_Vmap vmap;
  ADCL_Topology topo;
  ADCL_Request request;
  MPI_Type_create_resized(MPI_DOUBLE, 0, extent, &type);
  MPI_Type_commit(&type);
  MPI_Cart_create(MPI_COMM_WORLD, ndims, cart_dims, periods, 0, &ring);
  if (allocated) {
    OK(ADCL_Vector_allocate(ndims, dims, nc, type, &data, &vec));
  } else {
    OK(ADCL_Vector_register(ndims, dims, nc, type, data, &vec));
  }
  OK(ADCL_Vmap_halo_allocate_generic(ndims, widths, widths, &vmap));
  OK(ADCL_Topology_create(ring, 0, &topo));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "1"));
  OK(ADCL_Option_set("ADCL_CODELETS",
                     "neighborhood:IsIr_aao,IsIr_aao_pack,Persist_aao,Joined,Sr_pair,WinfencePut_aao,Ordered"));
  OK(ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < points * row; ++i) {
      *entry_at(data, extent, i) = 1000.0 * rank + i + 0.01 * round;
    }
    OK(ADCL_Request_start(request));
    for (int i = 0; i < points * row; ++i) {
      const int place = i / row;
      const int owner = place == 0 ? (rank + size - 1) % size : (place == points - 1 ? (rank + 1) % size : rank);
      const int theirs = place == 0 ? i + (points - 2) * row : (place == points - 1 ? i - (points - 2) * row : i);
      CHECK(*entry_at(data, extent, i) == 1000.0 * owner + theirs + 0.01 * round);
    }
  }
  OK(ADCL_Option_set("ADCL_CODELETS", ""));
  OK(ADCL_Request_free(&request));
  OK(ADCL_Topology_free(&topo));
  OK(ADCL_Vmap_free(&vmap));
  if (allocated) {
    OK(ADCL_Vector_free(&vec));
  } else {
    OK(ADCL_Vector_deregister(&vec));
  }
  MPI_Comm_free(&ring);
  MPI_Type_free(&type);
}

static void resized(MPI_Datatype inner, MPI_Aint lower_bound, MPI_Aint extent) {
  MPI_Datatype type;
  MPI_Type_create_resized(inner, lower_bound, extent, &type);
  MPI_Type_commit(&type);
  exchange(type);
  MPI_Type_free(&type);
}

static void negative_bounds(void) {
  const int lengths[3] = {1, 1, 1};
  const MPI_Aint places[3] = {-8, 0, 8};
  MPI_Datatype three;
  MPI_Type_create_hindexed(3, lengths, places, MPI_DOUBLE, &three);
  resized(three, -8, 32);
  resized(three, -8, 24);
  resized(MPI_DOUBLE, 0, -16);
  MPI_Type_free(&three);
  for (int nc = 1; nc <= 3; ++nc) {
    negative_extent(1, nc, -8, 1);
    negative_extent(2, nc, -16, nc % 2);
  }
}

static void fortran_precision(void) {
  MPI_Datatype real, several;
  if (MPI_Type_create_f90_real(15, 307, &real) != MPI_SUCCESS) {
    return;
  }
  exchange(real);
  MPI_Type_contiguous(2, real, &several);
  MPI_Type_commit(&several);
  exchange(several);
  MPI_Type_free(&several);
}
#endif

#if MPI_VERSION >= 4
static void large_counts(void) {
  MPI_Datatype strided, twice;
  MPI_Type_vector_c(2, 1, 3, MPI_DOUBLE, &strided);
  MPI_Type_contiguous_c(2, strided, &twice);
  MPI_Type_commit(&twice);
  exchange(twice);
  MPI_Type_free(&twice);
  MPI_Type_free(&strided);
}
#endif

static void too_many_points(void) {
  const int dims[4] = {65536, 65536, 65536, 65536};
  const int many[2] = {2000000000, 2000000000};
  char one = 0;
  void *data = NULL;
  ADCL_Vector vec;
  FAILS(ADCL_ERR_ARGUMENT, "64-bit", ADCL_Vector_allocate(4, dims, 0, MPI_DOUBLE, &data, &vec));
  FAILS(ADCL_ERR_ARGUMENT, "64-bit", ADCL_Vector_register(4, dims, 0, MPI_DOUBLE, &one, &vec));
  FAILS(ADCL_ERR_MEMORY, "could not be allocated", ADCL_Vector_allocate(2, many, 0, MPI_DOUBLE, &data, &vec));
}

int main(int argc, char **argv) {
  const int periods[1] = {1};
  int size;
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  size = harness_size();
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, periods, 0, &line);
  exchange(MPI_DOUBLE);
#ifndef SMPI_H
  negative_bounds();
  fortran_precision();
#endif
#if MPI_VERSION >= 4
  large_counts();
#endif
  too_many_points();
  MPI_Comm_free(&line);
  OK(ADCL_Finalize());
  return harness_verdict();
}
