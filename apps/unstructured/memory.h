/** \file memory.h
 *  Memory that is there, or the job ends with a message.
 */
#ifndef ADCL_APPS_UNSTRUCTURED_MEMORY_H
#define ADCL_APPS_UNSTRUCTURED_MEMORY_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Zeros. \p n may be 0. To be freed by free(). */
int *us_ints(size_t n);
double *us_doubles(size_t n);
void *us_bytes(size_t n, size_t size);

/** Whether the system would give every rank so many \p bytes, which it keeps. Collective. */
int us_enough_memory(double bytes, MPI_Comm comm);

#ifdef __cplusplus
}
#endif

#endif
