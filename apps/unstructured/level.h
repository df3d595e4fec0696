/** \file level.h
 * One level of the hierarchy: this rank's rows of a symmetric matrix, and the points that the neighbors need.
 *
 * A point of a coarser level is an aggregate of adjacent points of one rank, so all levels have the same neighbors.
 * Fields contain this rank's points first, then the points of each neighbor in turn (the halo). */
#ifndef ADCL_APPS_UNSTRUCTURED_LEVEL_H
#define ADCL_APPS_UNSTRUCTURED_LEVEL_H

#include <mpi.h>

#include "mesh.h"

typedef struct UsLevel {
  int points; /* *< of this rank */
  int inside; /* *< the first points, whose rows need no halo */
  int halo;

  int *begin; /* *< points + 1 entries: rows without their diagonal */
  int *column;
  double *value;
  double *diagonal;

  int neighbors;
  int *ranks;          /**< ascending */
  int *send_counts;    /**< points to each neighbor */
  int *send_points;    /* *< point indices, one neighbor after the other */
  int *receive_counts; /**< halo points from each neighbor */

  int *aggregate; /* *< index in the next level of each point; NULL on the coarsest */
} UsLevel;

/** The matrix 1 + strength * weighted graph Laplacian on the points that \p part assigns to this rank. \p number
 * receives the index in the mesh of each point of this rank and of the halo; release it with free(). Collective. */
UsLevel us_level_of_mesh(const UsMesh *mesh, const int *part, double strength, MPI_Comm comm, int **number);

/** The Galerkin matrix on the aggregates of \p fine, whose `aggregate` must be set. Collective. */
UsLevel us_level_coarsen(UsLevel *fine, MPI_Comm comm);

void us_level_free(UsLevel *level);

/** result = matrix * field for points \p first to \p last - 1 of this rank; \p field includes its halo. */
void us_level_multiply(const UsLevel *level, int first, int last, const double *field, double *result);

#endif
