/// \file in_place.hpp
/// MPI_IN_PLACE as Fortran passes it.
#pragma once

#include "shim.hpp"

namespace adcl::fortran {

/// Address of a message buffer: MPI_IN_PLACE where Fortran's MPI_IN_PLACE was passed; null for an array that is not
/// allocated. Throws Error(ADCL_ERR_ARGUMENT) when its elements do not follow each other in memory; \p name is the
/// argument's.
void* buffer(const CFI_cdesc_t* data, const char* name);

}  // namespace adcl::fortran
