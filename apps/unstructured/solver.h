/** \file solver.h
 * Implicit steps of diffusion on the mesh, (1 + strength L) x = b for several fields at once, by conjugate gradients
 * preconditioned by a cycle over levels of aggregates. L is the weighted graph Laplacian.
 *
 * The right sides belong to known solutions. When all fields are solved, the next right sides follow, so that all
 * iterations do real work. */
#ifndef ADCL_APPS_UNSTRUCTURED_SOLVER_H
#define ADCL_APPS_UNSTRUCTURED_SOLVER_H

#include <mpi.h>
#include <stdint.h>

#include "common/app.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Result of a run. Identical on all ranks, except for the times, which are this rank's. */
typedef struct UsRecord {
  int points; /**< points of the whole mesh */
  int largest_block;
  int largest_halo;
  int largest_message; /**< values of a field for one neighbor */
  int partition;       /* *< the method that was used */
  int iterations;
  int solved;            /* *< number of times that all fields were solved */
  double error;          /* *< relative to the known solution: maximum over the fields, in the last solved step */
  double error_limit;    /* *< largest error that the tolerance allows; the smallest eigenvalue is 1 */
  double residual;       /* *< of the final fields, recomputed, relative to the right side */
  double residual_limit; /* *< largest value that is consistent with the recurrence */
  uint64_t solution;     /**< checksum of all fields */
  uint64_t history;      /**< checksum of the residuals of all iterations */
  double setup_s;
  double exchange_setup_s; /* *< the part of setup_s that creates exchanges */
  double total_s;
} UsRecord;

typedef struct UsSolver UsSolver;

/** A step that is not solved after this number of iterations ends the run. */
enum { US_MOST_ITERATIONS_PER_STEP = 10000 };

/** Maximum number of points of all ranks together. */
enum { US_MOST_POINTS = 200000000 };

/** True if the system has the memory for each rank's part and for the whole mesh, which every rank temporarily
 * creates. Collective. */
int us_solver_fits(const UsOptions *options, MPI_Comm comm);

/** Collective. */
UsSolver *us_solver_make(const UsOptions *options, const AppSettings *settings, MPI_Comm comm);
void us_solver_run(UsSolver *solver, UsRecord *record);

/** Lets the next us_solver_run continue after the end of the last run, for \p iterations more iterations. Its
 * total_s excludes earlier runs. */
void us_solver_continue(UsSolver *solver, int iterations);

/** Lets us_solver_continue begin with the first right side again. Exchanges keep their state. */
void us_solver_restart(UsSolver *solver);
void us_solver_free(UsSolver *solver);

/** The exchanges for app_finish. */
int us_solver_exchanges(UsSolver *solver, AppExchange *const **exchanges);

#ifdef __cplusplus
}
#endif

#endif
