#include "capi/v1/codes.hpp"

namespace adcl::capi::v1 {

int v1_code(int code, int of_handle, int of_argument) noexcept {
  switch (code) {
    case ADCL_SUCCESS:
      return ADCL_SUCCESS;
    case ADCL_ERR_ARGUMENT:
      return of_argument;
    case ADCL_ERR_HANDLE:
      return of_handle;
    case ADCL_ERR_TYPE:
      return ADCL_INVALID_DAT;
    case ADCL_ERR_MEMORY:
      return ADCL_NO_MEMORY;
    case ADCL_ERR_UNSUPPORTED:
      return ADCL_UNDEFINED;
    case ADCL_ERR_OPTION:
    case ADCL_ERR_FILE:
    case ADCL_ERR_NO_CODELET:
      return ADCL_NOT_FOUND;
    case ADCL_ERR_MPI:
    case ADCL_ERR_INTERNAL:
      return ADCL_ERROR_INTERNAL;
    default:
      return ADCL_USER_ERROR;
  }
}

}  // namespace adcl::capi::v1

extern "C" {

const char* ADCL_v1_Error_string(int code) {
  switch (code) {
    case ADCL_NO_MEMORY:
      return ADCL_Error_string(ADCL_ERR_MEMORY);
    case ADCL_ERROR_INTERNAL:
      return "an MPI call failed, or ADCL has a defect";
    case ADCL_USER_ERROR:
      return "a call in the wrong state, conflicting arguments of the processes, or a failed user-defined function";
    case ADCL_UNDEFINED:
      return "not supported";
    case ADCL_NOT_FOUND:
      return "a file or codelet was not found, or an option has an invalid name or value";
    case ADCL_CONTINUE:
      return "the operation is not complete";
    default:
      break;
  }
  if (code >= ADCL_INVALID_ARG && code <= ADCL_INVALID_TIMER) {
    return "an argument is wrong";
  }
  // Calls that did not exist in 1.x return codes of ADCL.h.
  return ADCL_Error_string(code);
}

}  // extern "C"
