/** \file level.h
 *  One level of the hierarchy: this rank's rows of a symmetric matrix, and which points the neighbours need.
 *
 *  A point of a coarser level is an aggregate of neighbouring points of one rank, so all levels have the same
 *  neighbours. Fields have the own points first, then those of the neighbours (the halo), neighbour by neighbour.
 */
#ifndef ADCL_APPS_UNSTRUCTURED_LEVEL_H
#define ADCL_APPS_UNSTRUCTURED_LEVEL_H

#include <mpi.h>

#include "mesh.h"

typedef struct UsLevel {
  int points; /**< own ones */
  int inside; /**< of these, the first ones, whose rows need no halo */
  int halo;

  int *begin; /**< points + 1 entries: rows without their diagonal */
  int *column;
  double *value;
  double *diagonal;

  int neighbors;
  int *ranks;          /**< ascending */
  int *send_counts;    /**< points to each neighbour */
  int *send_points;    /**< which, one neighbour after the other */
  int *receive_counts; /**< halo points from each neighbour */

  int *aggregate; /**< of each own point, in the next level; NULL on the coarsest */
} UsLevel;

/** The matrix 1 + strength * weighted graph Laplacian on the points that \p part gives to this rank. \p number gets the
 *  number in the mesh of each own point and halo point, to be freed by free(). Collective. */
UsLevel us_level_of_mesh(const UsMesh *mesh, const int *part, double strength, MPI_Comm comm, int **number);

/** The Galerkin matrix on aggregates of \p fine, whose `aggregate` is filled in. Collective. */
UsLevel us_level_coarsen(UsLevel *fine, MPI_Comm comm);

void us_level_free(UsLevel *level);

/** result = matrix * field for own points from \p first to below \p last; \p field with its halo. */
void us_level_multiply(const UsLevel *level, int first, int last, const double *field, double *result);

#endif
