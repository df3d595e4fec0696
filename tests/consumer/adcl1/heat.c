/* A program for ADCL 1.x, valid in C and C++; only the name of the header differs. Heat flows through a plane that is
 * divided among the processes; an all-reduce checks that the total stays constant. */
#include <ADCL_v1.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INTERIOR 6
#define STEPS 40

static int failures = 0;

static void check(int err, const char *call) {
  if (ADCL_SUCCESS != err) {
    fprintf(stderr, "%s: %d, %s\n", call, err, ADCL_Last_error());
    ++failures;
  }
}

static int codelet_is(ADCL_Request request, const char *expected) {
  char *name = NULL;
  check(ADCL_Request_get_curr_function(request, &name, NULL, NULL, NULL, NULL), "ADCL_Request_get_curr_function");
  const int same = name != NULL && strcmp(name, expected) == 0;
  free(name);
  return same;
}

/* Each point gives a quarter of its heat to each neighbor. */
static void flow(double **from, double **to) {
  int i, j;
  for (i = 1; i <= INTERIOR; i++) {
    for (j = 1; j <= INTERIOR; j++) {
      to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
    }
  }
}

int main(int argc, char **argv) {
  int rank, size, step, i, j;
  int cart_dims[2] = {0, 0}, periods[2] = {1, 1}, dims[2] = {INTERIOR + 2, INTERIOR + 2}, one = 1;
  double **old_plane, **new_plane, *own, *total;
  MPI_Comm cart_comm;
  ADCL_Topology topo;
  ADCL_Vmap halo, sum;
  ADCL_Vector vecs[2], svec, rvec;
  ADCL_Request exchange[2], add_up;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check(ADCL_Init(), "ADCL_Init");
  MPI_Dims_create(size, 2, cart_dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, cart_dims, periods, 0, &cart_comm);
  check(ADCL_Topology_create(cart_comm, &topo), "ADCL_Topology_create");
  check(ADCL_Vmap_halo_allocate(1, &halo), "ADCL_Vmap_halo_allocate");
  check(ADCL_Vector_allocate_generic(2, dims, 0, halo, MPI_DOUBLE, &old_plane, &vecs[0]), "old plane");
  check(ADCL_Vector_allocate_generic(2, dims, 0, halo, MPI_DOUBLE, &new_plane, &vecs[1]), "new plane");
  check(ADCL_Request_create(vecs[0], topo, ADCL_FNCTSET_NEIGHBORHOOD, &exchange[0]), "request of the old plane");
  check(ADCL_Request_create(vecs[1], topo, ADCL_FNCTSET_NEIGHBORHOOD, &exchange[1]), "request of the new plane");
  check(ADCL_Vmap_allreduce_allocate(MPI_SUM, &sum), "ADCL_Vmap_allreduce_allocate");
  check(ADCL_Vector_allocate_generic(1, &one, 0, sum, MPI_DOUBLE, &own, &svec), "own heat");
  check(ADCL_Vector_allocate_generic(1, &one, 0, sum, MPI_DOUBLE, &total, &rvec), "all heat");
  check(ADCL_Request_create_generic(svec, rvec, topo, ADCL_FNCTSET_ALLREDUCE, &add_up), "request of the sum");

  for (i = 1; i <= INTERIOR; i++) {
    for (j = 1; j <= INTERIOR; j++) {
      old_plane[i][j] = rank == 0 && i == 3 && j == 3 ? 1.0 : 0.0;
    }
  }
  for (step = 0; step < STEPS && failures == 0; step++) {
    double **swapped = old_plane;
    check(ADCL_Request_start(exchange[step % 2]), "ADCL_Request_start");
#ifdef EXPECTED_CODELET
    failures += !codelet_is(exchange[step % 2], EXPECTED_CODELET);
#else
    (void)codelet_is;
#endif
    flow(old_plane, new_plane);
    old_plane = new_plane;
    new_plane = swapped;
    *own = 0.0;
    for (i = 1; i <= INTERIOR; i++) {
      for (j = 1; j <= INTERIOR; j++) {
        *own += old_plane[i][j];
      }
    }
    check(ADCL_Request_start(add_up), "ADCL_Request_start");
    if (*total < 1.0 - 1e-12 || *total > 1.0 + 1e-12) {
      fprintf(stderr, "rank %d: after step %d the sum of the heat is %.17g instead of 1\n", rank, step, *total);
      ++failures;
    }
  }
  for (i = 0; i < 2; i++) {
    check(ADCL_Request_free(&exchange[i]), "ADCL_Request_free");
    check(ADCL_Vector_free(&vecs[i]), "ADCL_Vector_free");
  }
  check(ADCL_Request_free(&add_up), "ADCL_Request_free");
  check(ADCL_Vector_free(&svec), "ADCL_Vector_free");
  check(ADCL_Vector_free(&rvec), "ADCL_Vector_free");
  check(ADCL_Vmap_free(&halo), "ADCL_Vmap_free");
  check(ADCL_Vmap_free(&sum), "ADCL_Vmap_free");
  check(ADCL_Topology_free(&topo), "ADCL_Topology_free");
  check(ADCL_Finalize(), "ADCL_Finalize");
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_free(&cart_comm);
  MPI_Finalize();
  return failures != 0;
}
