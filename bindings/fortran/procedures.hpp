/// \file procedures.hpp
/// Work functions written in Fortran, as the library calls them.
#pragma once

#include <ADCL.h>

namespace adcl::fortran {

/// A Fortran procedure as C sees it (C_FUNLOC).
using Address = void (*)();

/// The Fortran procedure that calls another one with a request; written in Fortran, because C may not call a procedure
/// whose interface is not interoperable.
using Caller = void (*)(Address procedure, const int* request);

/// How many different Fortran procedures a program may hand over.
constexpr int max_procedures = 1024;

/// A C function that runs \p procedure through \p caller. The same procedure yields the same function for ever, so that
/// a program may hand it over as often as it likes. Thread-safe. Throws Error(ADCL_ERR_UNSUPPORTED) beyond
/// max_procedures.
ADCL_work_fnct_ptr* as_work_function(Address procedure, Caller caller);

/// As as_work_function(), with a null pointer for a null pointer.
inline ADCL_work_fnct_ptr* work_function(Address procedure, Caller caller) {
  return procedure == nullptr ? nullptr : as_work_function(procedure, caller);
}

}  // namespace adcl::fortran
