/// \file codes.hpp
/// Return codes of the calls of ADCL_v1.h. This file uses the names of ADCL.h.
#pragma once

#define ADCL_V1_WITHOUT_NAMES
#include "ADCL_v1.h"

namespace adcl::capi::v1 {

/// Converts \p code of ADCL.h to ADCL 1.x: \p of_handle for an invalid handle, \p of_argument for another invalid
/// argument.
int v1_code(int code, int of_handle, int of_argument = ADCL_INVALID_ARG) noexcept;

}  // namespace adcl::capi::v1
