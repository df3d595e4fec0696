/** \file partition.h
 *  Which rank has which point.
 */
#ifndef ADCL_APPS_UNSTRUCTURED_PARTITION_H
#define ADCL_APPS_UNSTRUCTURED_PARTITION_H

#include <mpi.h>

#include "mesh.h"

enum UsPartition {
  US_METIS = 0,      /**< few edges between the ranks, by METIS */
  US_COORDINATES = 1 /**< recursive bisection by coordinates */
};

/** Whether this program was built with METIS. */
int us_have_metis(void);

/** Writes the rank of each point to \p part. Every rank gets a point; there are at least as many points as ranks.
 *  METIS leaves a rank without points where there are hardly more points than ranks; then coordinates decide. Returns
 *  the enum UsPartition that did. Collective; the same on all ranks. */
int us_partition(const UsMesh *mesh, int method, MPI_Comm comm, int *part);

#endif
