/* C functions for the Fortran tests: they return the constants of ADCL.h, and 4096 distinct addresses that serve as
 * procedure pointers. */
#include <ADCL.h>
#include <stdint.h>

#define HANDLE(h) (int)(intptr_t)(h)

static const int constants[] = {
    ADCL_SUCCESS,
    ADCL_ERR_ARGUMENT,
    ADCL_ERR_HANDLE,
    ADCL_ERR_TYPE,
    ADCL_ERR_STATE,
    ADCL_ERR_MISMATCH,
    ADCL_ERR_OPTION,
    ADCL_ERR_MEMORY,
    ADCL_ERR_MPI,
    ADCL_ERR_UNSUPPORTED,
    ADCL_ERR_NOT_INITIALIZED,
    ADCL_ERR_FILE,
    ADCL_ERR_NO_CODELET,
    ADCL_ERR_INTERNAL,
    ADCL_ERR_CALLBACK,
    HANDLE(ADCL_VMAP_NULL),
    HANDLE(ADCL_VECTOR_NULL),
    HANDLE(ADCL_TOPOLOGY_NULL),
    HANDLE(ADCL_ATTRIBUTE_NULL),
    HANDLE(ADCL_ATTRSET_NULL),
    HANDLE(ADCL_FUNCTION_NULL),
    HANDLE(ADCL_FNCTSET_NULL),
    HANDLE(ADCL_REQUEST_NULL),
    HANDLE(ADCL_TIMER_NULL),
    HANDLE(ADCL_FNCTSET_NEIGHBORHOOD),
    ADCL_VERSION_MAJOR,
    ADCL_VERSION_MINOR,
    ADCL_VERSION_PATCH,
    ADCL_DIRECTION_BOTH,
    ADCL_DIRECTION_LEFT_TO_RIGHT,
    ADCL_DIRECTION_RIGHT_TO_LEFT,
    ADCL_ORDER_C,
    ADCL_ORDER_FORTRAN,
    ADCL_STATE_SEARCH,
    ADCL_STATE_PRODUCTION,
    ADCL_MAX_NAME,
};

int header_constants_count(void) { return (int)(sizeof constants / sizeof constants[0]); }

/* The i-th constant, counted from 1. */
int header_constant(int i) { return constants[i - 1]; }

/* The i-th of many different addresses that look like procedures. They are never called. */
void *header_procedure(int i) {
  static const char text[4096];
  return (void *)(uintptr_t)(text + i);
}
