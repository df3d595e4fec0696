/* Exchanges the halo of a block in Fortran order; halo.cpp, halo.f90 and halo.py do the same. Each rank writes its
 * block to the file PREFIX.RANK. Rank 0 prints the codelet of the first start and the winner. */
#include <ADCL.h>
#include <stdio.h>

enum { NX = 24, NY = 40, STEPS = 400 };

#define U(i, j) u[(j) * (NX + 2) + (i)]
#define NEXT(i, j) next[(j) * (NX + 2) + (i)]

static double u[(NX + 2) * (NY + 2)];
static double next[(NX + 2) * (NY + 2)];

static void check(int code) {
  if (code != ADCL_SUCCESS) {
    fprintf(stderr, "%s\n", ADCL_Last_error());
    MPI_Abort(MPI_COMM_WORLD, code);
  }
}

static void advance(void) {
  for (int j = 1; j <= NY; ++j) {
    for (int i = 1; i <= NX; ++i) {
      NEXT(i, j) = (U(i - 1, j) + U(i + 1, j) + U(i, j - 1) + U(i, j + 1)) / 3;
    }
  }
  for (int j = 1; j <= NY; ++j) {
    for (int i = 1; i <= NX; ++i) {
      U(i, j) = NEXT(i, j);
    }
  }
}

static void write_block(const char *prefix, int rank) {
  char name[4096];
  snprintf(name, sizeof name, "%s.%d", prefix, rank);
  FILE *const file = fopen(name, "wb");
  if (file == NULL || fwrite(u, sizeof u, 1, file) != 1 || fclose(file) != 0) {
    fprintf(stderr, "cannot write %s\n", name);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  check(ADCL_Init());
  int ranks;
  int rank;
  int dims[2] = {0, 0};
  const int periods[2] = {1, 0};
  const int extents[2] = {NX + 2, NY + 2};
  MPI_Comm cart;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
  MPI_Comm_rank(cart, &rank);
  for (int j = 1; j <= NY; ++j) {
    for (int i = 1; i <= NX; ++i) {
      U(i, j) = 1.0 / (1 + i + j * NX + rank * NX * NY);
    }
  }

  ADCL_Halo description = *ADCL_HALO(u, 2, extents, 0, 1, MPI_DOUBLE);
  description.order = ADCL_ORDER_FORTRAN;
  ADCL_Request halo;
  char first[64];
  char winner[64];
  check(ADCL_Halo_init(&description, cart, &halo));
  for (int step = 0; step < STEPS; ++step) {
    check(ADCL_Request_start(halo));
    if (step == 0) {
      check(ADCL_Request_get_curr_function(halo, first, sizeof first));
    }
    advance();
  }
  check(ADCL_Request_get_winner(halo, winner, sizeof winner));
  if (rank == 0) {
    printf("began with %s decided for %s\n", first, winner);
  }
  write_block(argv[1], rank);
  check(ADCL_Request_free(&halo));
  MPI_Comm_free(&cart);
  check(ADCL_Finalize());
  MPI_Finalize();
  return 0;
}
