/** \file halo.h
 * Fields of one level, the exchange of their halos, and the product of the level's matrix with all fields. */
#ifndef ADCL_APPS_UNSTRUCTURED_HALO_H
#define ADCL_APPS_UNSTRUCTURED_HALO_H

#include <mpi.h>

#include "common/app.h"
#include "level.h"
#include "options.h"

typedef struct UsHalo UsHalo;

/** Fields of zeros. \p topology belongs to \p comm, a graph communicator with the level's neighbors. Collective. */
UsHalo *us_halo_make(const UsLevel *level, const UsOptions *options, const AppSettings *settings, MPI_Comm comm,
                     ADCL_Topology topology);

/** Collective. Ignores NULL. */
void us_halo_free(UsHalo *halo);

/** The arrays, one for each field: own points, then the halo. */
double **us_halo_fields(UsHalo *halo);

AppExchange *us_halo_exchange(UsHalo *halo);

/** Seconds that this rank took to create the exchange. */
double us_halo_setup_s(const UsHalo *halo);

/** results[f] = matrix * field f, without halo, for all fields. Collective. */
void us_halo_multiply(UsHalo *halo, double **results);

#endif
