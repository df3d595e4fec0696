#include "memory.h"

#include <stdlib.h>

#include "common/app.h"

void *us_bytes(size_t n, size_t size) {
  void *memory = calloc(n > 0 ? n : 1, size);
  if (memory == NULL) {
    app_fail("out of memory; a smaller --points needs less");
  }
  return memory;
}

int *us_ints(size_t n) { return us_bytes(n, sizeof(int)); }

double *us_doubles(size_t n) { return us_bytes(n, sizeof(double)); }
