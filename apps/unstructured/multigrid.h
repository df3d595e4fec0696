/** \file multigrid.h
 * A symmetric V-cycle over levels of aggregates, applied to several fields at once: one step of damped Jacobi before
 * and after each coarser level, a few steps on the coarsest. */
#ifndef ADCL_APPS_UNSTRUCTURED_MULTIGRID_H
#define ADCL_APPS_UNSTRUCTURED_MULTIGRID_H

#include "halo.h"

enum { US_MOST_LEVELS = 8 };

typedef struct UsMultigrid UsMultigrid;

/** Takes ownership of \p finest. Collective. */
UsMultigrid *us_multigrid_make(UsLevel finest, const UsOptions *options, const AppSettings *settings, MPI_Comm comm,
                               ADCL_Topology topology);

/** Collective. */
void us_multigrid_free(UsMultigrid *multigrid);

const UsLevel *us_multigrid_finest(const UsMultigrid *multigrid);

/** Applies the cycle to \p residuals, which has one array of this rank's points for each field and does not change.
 * Returns one array for each field, owned by the multigrid and valid until the next call. Collective. */
double **us_multigrid_apply(UsMultigrid *multigrid, double **residuals);

/** Writes the exchanges of all levels, finest first; returns their number. */
int us_multigrid_exchanges(UsMultigrid *multigrid, AppExchange **exchanges);

/** Seconds that this rank took to create the exchanges of all levels. */
double us_multigrid_setup_s(const UsMultigrid *multigrid);

#endif
