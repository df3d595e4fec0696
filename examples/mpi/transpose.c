/* ranks: 1 2 3 4
 * A program without ADCL: it transposes a matrix whose rows are divided among the ranks, again and again, as a parallel
 * Fourier transform does. docs/tutorial-program.md makes it faster without changing it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 16 }; /* each rank has BLOCK rows, and exchanges blocks of BLOCK x BLOCK */

int main(int argc, char **argv) {
  int ranks;
  int rank;
  int steps = argc > 1 ? atoi(argv[1]) : 1000;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  size_t cells = (size_t)ranks * BLOCK * BLOCK;
  double *rows = malloc(cells * sizeof(double));
  double *blocks = malloc(cells * sizeof(double));
  double *received = malloc(cells * sizeof(double));
  if (rows == NULL || blocks == NULL || received == NULL) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  int columns = ranks * BLOCK;
  for (int i = 0; i < BLOCK; ++i) {
    for (int j = 0; j < columns; ++j) {
      rows[i * columns + j] = (double)(rank * BLOCK + i) * columns + j;
    }
  }

  for (int step = 0; step < steps; ++step) {
    /* The transposed block for each rank, one after the other. */
    for (int i = 0; i < BLOCK; ++i) {
      for (int j = 0; j < columns; ++j) {
        blocks[j * BLOCK + i] = rows[i * columns + j];
      }
    }
    MPI_Alltoall(blocks, BLOCK * BLOCK, MPI_DOUBLE, received, BLOCK * BLOCK, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; ++r) {
      for (int i = 0; i < BLOCK; ++i) {
        for (int j = 0; j < BLOCK; ++j) {
          rows[i * columns + r * BLOCK + j] = received[(r * BLOCK + i) * BLOCK + j];
        }
      }
    }
  }

  /* After an even number of transpositions, each cell has its first value. */
  int wrong = 0;
  for (int i = 0; i < BLOCK; ++i) {
    for (int j = 0; j < columns; ++j) {
      int row = rank * BLOCK + i;
      double expected = steps % 2 == 0 ? (double)row * columns + j : (double)j * columns + row;
      wrong += rows[i * columns + j] != expected;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%d transpositions on %d ranks, %d wrong cells\n", steps, ranks, wrong);
  }
  free(rows);
  free(blocks);
  free(received);
  MPI_Finalize();
  return wrong != 0;
}
