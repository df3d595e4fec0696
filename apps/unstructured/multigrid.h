/** \file multigrid.h
 *  A symmetric V-cycle over levels of aggregates, applied to several fields at a time: one step of damped Jacobi before
 *  and after each coarser level, a few on the coarsest.
 */
#ifndef ADCL_APPS_UNSTRUCTURED_MULTIGRID_H
#define ADCL_APPS_UNSTRUCTURED_MULTIGRID_H

#include "halo.h"

enum { US_MOST_LEVELS = 8 };

typedef struct UsMultigrid UsMultigrid;

/** Takes over \p finest. Collective. */
UsMultigrid *us_multigrid_make(UsLevel finest, const UsOptions *options, const AppSettings *settings, MPI_Comm comm,
                               ADCL_Topology topology);

/** Collective. */
void us_multigrid_free(UsMultigrid *multigrid);

const UsLevel *us_multigrid_finest(const UsMultigrid *multigrid);

/** Applies the cycle to \p residuals, one array of own points for each field, which it does not change. The result is
 *  the multigrid's: one array for each field, valid until the next call. Collective. */
double **us_multigrid_apply(UsMultigrid *multigrid, double **residuals);

/** Writes the exchanges of all levels, finest first; returns how many. */
int us_multigrid_exchanges(UsMultigrid *multigrid, AppExchange **exchanges);

/** Seconds that this rank took to make the exchanges of all levels. */
double us_multigrid_setup_s(const UsMultigrid *multigrid);

#endif
