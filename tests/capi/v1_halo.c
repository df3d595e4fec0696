/* ranks: 1 2 3 4
 * Halo exchanges in the style of ADCL 1.x: vectors with a vmap, arrays of pointers, and each earlier signature of
 * these calls. The halo is checked after every start, with each codelet that the search tries. */
#include "harness.h"

#include <ADCL_v1.h>

enum { starts = 70 };

static int neighbors[3][2];
static int rank;

static MPI_Comm grid_of(int ndims, int periodic) {
  MPI_Comm cart = harness_cart(ndims, periodic);
  for (int d = 0; d < ndims; ++d) {
    MPI_Cart_shift(cart, d, 1, &neighbors[d][0], &neighbors[d][1]);
  }
  MPI_Comm_rank(cart, &rank);
  return cart;
}

static double value(int of_rank, int start, int i, int j, int k) {
  return start * 1e7 + of_rank * 1e5 + i * 1e3 + j * 30 + k;
}

/* An array of ni x nj points with nc entries, independent of its declaration in the program. */
typedef struct {
  int ni, nj, nc;
  double *memory;
} Field;

static double *at(const Field *field, int i, int j, int k) {
  return &field->memory[(i * field->nj + j) * field->nc + k];
}

static int inside(const Field *field, int i, int j, int halo) {
  return i >= halo && i < field->ni - halo && j >= halo && j < field->nj - halo;
}

static void fill(const Field *field, int start, int halo) {
  for (int i = 0; i < field->ni; ++i) {
    for (int j = 0; j < field->nj; ++j) {
      for (int k = 0; k < field->nc; ++k) {
        *at(field, i, j, k) = inside(field, i, j, halo) ? value(rank, start, i, j, k) : -1.0;
      }
    }
  }
}

/* Number of wrong points: halo points at faces come from the neighbor there, other halo points do not change. */
static int wrong_points(const Field *field, int start, int halo) {
  int wrong = 0;
  for (int i = 0; i < field->ni; ++i) {
    for (int j = 0; j < field->nj; ++j) {
      const int side_i = i < halo ? 0 : (i >= field->ni - halo ? 1 : -1);
      const int side_j = j < halo ? 0 : (j >= field->nj - halo ? 1 : -1);
      int from = rank, si = i, sj = j;
      if (side_i >= 0 && side_j < 0) {
        from = neighbors[0][side_i];
        si = side_i == 0 ? i + field->ni - 2 * halo : i - (field->ni - 2 * halo);
      } else if (side_j >= 0 && side_i < 0) {
        from = neighbors[1][side_j];
        sj = side_j == 0 ? j + field->nj - 2 * halo : j - (field->nj - 2 * halo);
      } else if (side_i >= 0) {
        from = MPI_PROC_NULL;
      }
      for (int k = 0; k < field->nc; ++k) {
        wrong += *at(field, i, j, k) != (from == MPI_PROC_NULL ? -1.0 : value(from, start, si, sj, k));
      }
    }
  }
  return wrong;
}

/* Exchanges with a request of this vector until the end of the search, and frees the request. */
static void exchange(ADCL_Vector vec, ADCL_Topology topo, const Field *field, int halo) {
  ADCL_Request request;
  OK(ADCL_Request_create(vec, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  int wrong = 0;
  for (int start = 0; start < starts; ++start) {
    fill(field, start, halo);
    if (start % 2 == 0) {
      OK(ADCL_Request_start(request));
    } else {
      OK(ADCL_Request_init(request));
      OK(ADCL_Request_wait(request));
    }
    wrong += wrong_points(field, start, halo);
  }
  CHECK(wrong == 0);
  char *set = NULL;
  int dimensions = 0;
  OK(ADCL_Request_get_fsname(request, &set));
  CHECK(set != NULL && strcmp(set, "neighborhood") == 0);
  free(set);
  OK(ADCL_Request_get_tndims(request, &dimensions));
  CHECK(dimensions == 2);
  OK(ADCL_Request_free(&request));
  CHECK(request == ADCL_REQUEST_NULL);
}

static void scalars_and_entries(ADCL_Topology topo, int halo) {
  int dims[2];
  dims[0] = 5 + 2 * halo;
  dims[1] = 4 + 2 * halo;
  ADCL_Vmap vmap;
  ADCL_Vector vec;
  OK(ADCL_Vmap_halo_allocate(halo, &vmap));

  double **plane = NULL;
  OK(ADCL_Vector_allocate_generic(2, dims, 0, vmap, MPI_DOUBLE, &plane, &vec));
  const Field scalars = {dims[0], dims[1], 1, &plane[0][0]};
  CHECK(&plane[1][0] == &plane[0][0] + dims[1] && &plane[dims[0] - 1][2] == at(&scalars, dims[0] - 1, 2, 0));
  exchange(vec, topo, &scalars, halo);
  OK(ADCL_Vector_free(&vec));
  CHECK(vec == ADCL_VECTOR_NULL);

  double ***entries = NULL;
  OK(ADCL_Vector_allocate_generic(2, dims, 3, vmap, MPI_DOUBLE, &entries, &vec));
  const Field several = {dims[0], dims[1], 3, &entries[0][0][0]};
  CHECK(&entries[dims[0] - 1][1][2] == at(&several, dims[0] - 1, 1, 2));
  /* The vector still holds the vmap. */
  OK(ADCL_Vmap_free(&vmap));
  exchange(vec, topo, &several, halo);
  OK(ADCL_Vector_free(&vec));
}

/* A field registered as one array, and as an array of pointers. */
static void registered(ADCL_Topology topo) {
  int dims[2] = {7, 6};
  double memory[7 * 6];
  double *rows[7];
  const Field field = {7, 6, 1, memory};
  ADCL_Vmap vmap;
  ADCL_Vector vec;
  for (int i = 0; i < 7; ++i) {
    rows[i] = &memory[i * 6];
  }
  OK(ADCL_Vmap_halo_allocate(1, &vmap));
  memset(memory, 0, sizeof memory);
  OK(ADCL_Vector_register_generic(2, dims, 0, vmap, MPI_DOUBLE, memory, &vec));
  exchange(vec, topo, &field, 1);
  OK(ADCL_Vector_deregister(&vec));
  OK(ADCL_Vector_register_generic(2, dims, 0, vmap, MPI_DOUBLE, rows, &vec));
  exchange(vec, topo, &field, 1);
  OK(ADCL_Vector_deregister(&vec));
  OK(ADCL_Vmap_free(&vmap));
}

/* Calls with eight, seven and six arguments. */
static void earlier_signatures(ADCL_Topology topo) {
  int dims[2] = {7, 6};
  double **plane = NULL;
  double ***entries = NULL;
  double memory[7 * 6];
  ADCL_Vector vec;
  OK(ADCL_Vector_allocate(2, dims, 0, ADCL_VECTOR_HALO, 1, MPI_DOUBLE, &plane, &vec));
  const Field eight = {7, 6, 1, &plane[0][0]};
  exchange(vec, topo, &eight, 1);
  OK(ADCL_Vector_free(&vec));
  OK(ADCL_Vector_allocate(2, dims, 2, 1, MPI_DOUBLE, &entries, &vec));
  const Field seven = {7, 6, 2, &entries[0][0][0]};
  exchange(vec, topo, &seven, 1);
  OK(ADCL_Vector_free(&vec));
  const Field six = {7, 6, 1, memory};
  OK(ADCL_Vector_register(2, dims, 1, MPI_DOUBLE, memory, &vec));
  exchange(vec, topo, &six, 1);
  OK(ADCL_Vector_deregister(&vec));
}

static void generic_topology(MPI_Comm cart) {
  int left[2], right[2], flip[2] = {0, 1}, coords[2];
  ADCL_Topology topo;
  for (int d = 0; d < 2; ++d) {
    left[d] = neighbors[d][0];
    right[d] = neighbors[d][1];
  }
  MPI_Cart_coords(cart, rank, 2, coords);
  OK(ADCL_Topology_create_generic(2, 2, left, flip, right, coords, ADCL_DIRECTION_BOTH, cart, &topo));
  registered(topo);
  OK(ADCL_Topology_free(&topo));
  OK(ADCL_Topology_create_generic(2, left, right, coords, ADCL_DIRECTION_BOTH, cart, &topo));
  registered(topo);
  OK(ADCL_Topology_free(&topo));
}

/* Three dimensions: each face of a cube with one interior point has the neighbor's value. */
static void cube(int periodic) {
  MPI_Comm cart = grid_of(3, periodic);
  int dims[3] = {3, 3, 3};
  double ***points = NULL;
  ADCL_Topology topo;
  ADCL_Vmap vmap;
  ADCL_Vector vec;
  ADCL_Request request;
  OK(ADCL_Topology_create(cart, &topo));
  OK(ADCL_Vmap_halo_allocate(1, &vmap));
  OK(ADCL_Vector_allocate_generic(3, dims, 0, vmap, MPI_DOUBLE, &points, &vec));
  OK(ADCL_Request_create(vec, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  int wrong = 0;
  for (int start = 0; start < starts; ++start) {
    for (int n = 0; n < 27; ++n) {
      (&points[0][0][0])[n] = -1.0;
    }
    points[1][1][1] = start * 100.0 + rank;
    OK(ADCL_Request_start(request));
    const double found[3][2] = {
        {points[0][1][1], points[2][1][1]}, {points[1][0][1], points[1][2][1]}, {points[1][1][0], points[1][1][2]}};
    for (int d = 0; d < 3; ++d) {
      for (int side = 0; side < 2; ++side) {
        const int from = neighbors[d][side];
        wrong += found[d][side] != (from == MPI_PROC_NULL ? -1.0 : start * 100.0 + from);
      }
    }
    wrong += points[0][0][0] != -1.0;
  }
  CHECK(wrong == 0);
  OK(ADCL_Request_free(&request));
  OK(ADCL_Vector_free(&vec));
  OK(ADCL_Vmap_free(&vmap));
  OK(ADCL_Topology_free(&topo));
  MPI_Comm_free(&cart);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  for (int periodic = 0; periodic < 2; ++periodic) {
    MPI_Comm cart = grid_of(2, periodic);
    ADCL_Topology topo;
    OK(ADCL_Topology_create(cart, &topo));
    scalars_and_entries(topo, 1);
    scalars_and_entries(topo, 2);
    registered(topo);
    earlier_signatures(topo);
    generic_topology(cart);
    OK(ADCL_Topology_free(&topo));
    MPI_Comm_free(&cart);
    cube(periodic);
  }
  OK(ADCL_Finalize());
  return harness_verdict();
}
