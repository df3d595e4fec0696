/* A block of a two-dimensional matrix. The value of each cell identifies its position in the whole matrix, so each
 * received halo cell can be checked. Without periodic dimensions, the halo at a border of the whole matrix does not
 * change. */
#ifndef CHECKED_H
#define CHECKED_H

#include <mpi.h>
#include <stdio.h>

#define DIM0 40
#define DIM1 30
#define HWIDTH 1
#define ROWS (DIM0 + 2 * HWIDTH)
#define COLUMNS (DIM1 + 2 * HWIDTH)
#define UNTOUCHED (-1.0)

static inline void check(int code, const char *call, const char *why) {
  if (code != 0) {
    fprintf(stderr, "%s failed: %s\n", call, why);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

/* Value of a cell of the process at coords, halo included. */
static inline double number_of(const int *coords, const int *cart_dims, int i, int j, int iteration) {
  int row = coords[0] * DIM0 + i - HWIDTH;
  int column = coords[1] * DIM1 + j - HWIDTH;
  int outside = row < 0 || row >= cart_dims[0] * DIM0 || column < 0 || column >= cart_dims[1] * DIM1;
  return outside ? UNTOUCHED : (double)row * cart_dims[1] * DIM1 + column + iteration;
}

static inline int is_halo(int i, int size) { return i < HWIDTH || i >= size - HWIDTH; }

/* Value before an exchange: interior cells have their own values. */
static inline double cell_before(const int *coords, const int *cart_dims, int i, int j, int iteration) {
  int inside = !is_halo(i, ROWS) && !is_halo(j, COLUMNS);
  return inside ? number_of(coords, cart_dims, i, j, iteration) : UNTOUCHED;
}

/* Value after an exchange: the sides of the halo are set too; its corners are not exchanged. */
static inline double cell_after(const int *coords, const int *cart_dims, int i, int j, int iteration) {
  int corner = is_halo(i, ROWS) && is_halo(j, COLUMNS);
  return corner ? UNTOUCHED : number_of(coords, cart_dims, i, j, iteration);
}

/* Prints the number of wrong cells, if any; returns true if no process has a wrong cell. Collective over comm. */
static inline int all_right(int failures, MPI_Comm comm, int rank) {
  int total = 0;
  MPI_Allreduce(&failures, &total, 1, MPI_INT, MPI_SUM, comm);
  if (rank == 0) {
    printf("%d cells are wrong\n", total);
  }
  return total == 0;
}

#endif
