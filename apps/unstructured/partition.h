/** \file partition.h
 * The distribution of the points over the ranks. */
#ifndef ADCL_APPS_UNSTRUCTURED_PARTITION_H
#define ADCL_APPS_UNSTRUCTURED_PARTITION_H

#include <mpi.h>

#include "mesh.h"

enum UsPartition {
  US_METIS = 0,      /* *< few edges between the ranks, by METIS */
  US_COORDINATES = 1 /**< recursive bisection by coordinates */
};

/** True if this program was built with METIS. */
int us_have_metis(void);

/** Writes the rank of each point to \p part. Every rank gets a point; there must be at least as many points as
 * ranks. If METIS leaves a rank without points, as it may if there are hardly more points than ranks, US_COORDINATES is
 * used instead. Returns the enum UsPartition that was used. Collective; the same on all ranks. */
int us_partition(const UsMesh *mesh, int method, MPI_Comm comm, int *part);

#endif
