/// \file procedures.hpp
/// C functions for work functions written in Fortran.
#pragma once

#include <ADCL.h>

namespace adcl::fortran {

/// The address of a Fortran procedure (C_FUNLOC).
using Address = void (*)();

/// The Fortran procedure that calls a work function with a request. C may not call a procedure whose interface is not
/// interoperable.
using Caller = void (*)(Address procedure, const int* request);

/// Maximum number of different Fortran procedures.
constexpr int max_procedures = 1024;

/// Returns a C function that runs \p procedure through \p caller. Returns the same function each time for the same
/// procedure, so a program may pass a procedure any number of times. Thread-safe. Throws Error(ADCL_ERR_UNSUPPORTED)
/// beyond max_procedures.
ADCL_work_fnct_ptr* as_work_function(Address procedure, Caller caller);

/// Like as_work_function(); null for a null pointer.
inline ADCL_work_fnct_ptr* work_function(Address procedure, Caller caller) {
  return procedure == nullptr ? nullptr : as_work_function(procedure, caller);
}

}  // namespace adcl::fortran
