/* ranks: 1 2 3 4
 * Heat on a periodic plate. Each rank has a block with one layer of halo cells, which ADCL exchanges in every step. A
 * reduction returns the largest change of all ranks. plate.cpp, plate.f90 and plate.py print the same numbers. */
#include <ADCL.h>
#include <math.h>
#include <stdio.h>

enum { SIDE = 64, STEPS = 500 };

static double u[SIDE + 2][SIDE + 2];

static void check(int code) {
  if (code != ADCL_SUCCESS) {
    fprintf(stderr, "%s\n", ADCL_Last_error());
    MPI_Abort(MPI_COMM_WORLD, code);
  }
}

/* Heats a quarter of the plate. Returns the heat of this block. */
static double heat(const int *coords, const int *dims) {
  double sum = 0.0;
  for (int i = 1; i <= SIDE; ++i) {
    for (int j = 1; j <= SIDE; ++j) {
      int row = coords[0] * SIDE + i;
      int column = coords[1] * SIDE + j;
      u[i][j] = 2 * row <= dims[0] * SIDE && 2 * column <= dims[1] * SIDE ? 100.0 : 0.0;
      sum += u[i][j];
    }
  }
  return sum;
}

/* Replaces each cell by the mean of its neighbors. Returns the largest change of a cell. */
static double advance(void) {
  static double next[SIDE + 2][SIDE + 2];
  double change = 0.0;
  for (int i = 1; i <= SIDE; ++i) {
    for (int j = 1; j <= SIDE; ++j) {
      next[i][j] = (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]) / 4;
      change = fmax(change, fabs(next[i][j] - u[i][j]));
    }
  }
  for (int i = 1; i <= SIDE; ++i) {
    for (int j = 1; j <= SIDE; ++j) {
      u[i][j] = next[i][j];
    }
  }
  return change;
}

static double sum_of(void) {
  double sum = 0.0;
  for (int i = 1; i <= SIDE; ++i) {
    for (int j = 1; j <= SIDE; ++j) {
      sum += u[i][j];
    }
  }
  return sum;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  check(ADCL_Init());

  int ranks;
  int rank;
  int dims[2] = {0, 0};
  int periods[2] = {1, 1};
  int coords[2];
  MPI_Comm cart;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
  MPI_Comm_rank(cart, &rank);
  MPI_Cart_coords(cart, rank, 2, coords);
  double sums[2] = {heat(coords, dims), 0.0};

  /* Describe the two operations once. */
  int extents[2] = {SIDE + 2, SIDE + 2};
  double change;
  double largest = 0.0;
  ADCL_Request halo;
  ADCL_Request norm;
  check(ADCL_Halo_init(ADCL_HALO(u, 2, extents, 0, 1, MPI_DOUBLE), cart, &halo));
  check(ADCL_Allreduce_init(&change, &largest, 1, MPI_DOUBLE, MPI_MAX, cart, &norm));
  check(ADCL_Request_set_name(halo, "plate"));

  for (int step = 0; step < STEPS; ++step) {
    check(ADCL_Request_start(halo)); /* fills the halo of u */
    change = advance();
    check(ADCL_Request_start(norm)); /* reads change, writes largest */
  }

  sums[1] = sum_of();
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, cart);
  int lost = fabs(sums[1] - sums[0]) > 1e-9 * sums[0];
  if (rank == 0) {
    printf("%d steps on %d ranks: the last one changed a cell by %.17g%s\n", STEPS, ranks, largest,
           lost ? ", and heat was lost" : "");
  }

  check(ADCL_Request_free(&norm));
  check(ADCL_Request_free(&halo));
  MPI_Comm_free(&cart);
  check(ADCL_Finalize());
  MPI_Finalize();
  return lost;
}
