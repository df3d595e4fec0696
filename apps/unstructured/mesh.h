/** \file mesh.h
 *  An unstructured mesh of triangles in the unit square: points without any order, each with three to eight neighbours.
 */
#ifndef ADCL_APPS_UNSTRUCTURED_MESH_H
#define ADCL_APPS_UNSTRUCTURED_MESH_H

typedef struct UsMesh {
  int points;
  double *x; /**< coordinates of each point */
  double *y;
  int *begin;    /**< points + 1 entries: where the neighbours of a point begin */
  int *neighbor; /**< ascending for each point */
} UsMesh;

/** Local, and the same on all processes: \p points points or a few more. */
UsMesh us_mesh_make(int points);

void us_mesh_free(UsMesh *mesh);

/** Weight of the edge between two points, 0.5 to 1.5, the same in both directions. */
double us_mesh_weight(int a, int b);

#endif
