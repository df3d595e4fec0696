/** \file communicate.h
 * Blocking exchanges for the set-up and for checks of answers; they are independent of the measured exchanges. */
#ifndef ADCL_APPS_UNSTRUCTURED_COMMUNICATE_H
#define ADCL_APPS_UNSTRUCTURED_COMMUNICATE_H

#include <mpi.h>

#include "level.h"

/** Fills the halo of a field with one number for each point. Collective. */
void us_fill_halo(const UsLevel *level, MPI_Comm comm, double *field);
void us_fill_halo_ints(const UsLevel *level, MPI_Comm comm, int *field);

#endif
