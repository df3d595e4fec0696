/** \file mesh.h
 * An unstructured mesh of triangles in the unit square: unordered points with three to eight neighbors each. */
#ifndef ADCL_APPS_UNSTRUCTURED_MESH_H
#define ADCL_APPS_UNSTRUCTURED_MESH_H

typedef struct UsMesh {
  int points;
  double *x; /**< coordinates of each point */
  double *y;
  int *begin;    /* *< points + 1 entries: first neighbor of each point */
  int *neighbor; /**< ascending for each point */
} UsMesh;

/** Creates a mesh of \p points points or slightly more. Local, and the same on all processes. */
UsMesh us_mesh_make(int points);

void us_mesh_free(UsMesh *mesh);

/** Weight of the edge between two points, 0.5 to 1.5, the same in both directions. */
double us_mesh_weight(int a, int b);

#endif
