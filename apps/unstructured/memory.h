/** \file memory.h
 * Allocation of memory; a failure ends the job with a message. */
#ifndef ADCL_APPS_UNSTRUCTURED_MEMORY_H
#define ADCL_APPS_UNSTRUCTURED_MEMORY_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Zero-initialized. \p n may be 0. Release it with free(). */
int *us_ints(size_t n);
double *us_doubles(size_t n);
void *us_bytes(size_t n, size_t size);

/** Returns true if the system could give every rank \p bytes bytes; it allocates none. Collective. */
int us_enough_memory(double bytes, MPI_Comm comm);

#ifdef __cplusplus
}
#endif

#endif
