/** \file memory.h
 *  Memory that is there, or the job ends with a message.
 */
#ifndef ADCL_APPS_UNSTRUCTURED_MEMORY_H
#define ADCL_APPS_UNSTRUCTURED_MEMORY_H

#include <stddef.h>

/** Zeros. \p n may be 0. To be freed by free(). */
int *us_ints(size_t n);
double *us_doubles(size_t n);
void *us_bytes(size_t n, size_t size);

#endif
