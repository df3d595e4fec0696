#include "memory.h"

#include <stdint.h>
#include <stdlib.h>

#include "common/app.h"

void *us_bytes(size_t n, size_t size) {
  void *memory = calloc(n > 0 ? n : 1, size);
  if (memory == NULL) {
    app_fail("out of memory; reduce --points");
  }
  return memory;
}

int us_enough_memory(double bytes, MPI_Comm comm) {
  int good = 0;
  if (bytes < (double)PTRDIFF_MAX) {
    void *volatile memory = malloc((size_t)bytes + 1);
    good = memory != NULL;
    free(memory);
  }
  MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, comm);
  return good;
}

int *us_ints(size_t n) { return us_bytes(n, sizeof(int)); }

double *us_doubles(size_t n) { return us_bytes(n, sizeof(double)); }
