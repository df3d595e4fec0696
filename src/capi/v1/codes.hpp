/// \file codes.hpp
/// What the calls of ADCL_v1.h return. Its names are left alone here: they are those of ADCL.h.
#pragma once

#define ADCL_V1_WITHOUT_NAMES
#include "ADCL_v1.h"

namespace adcl::capi::v1 {

/// The code of ADCL 1.x for \p code of ADCL.h: \p of_handle where a handle was wrong, \p of_argument where another
/// argument was.
int old_code(int code, int of_handle, int of_argument = ADCL_INVALID_ARG) noexcept;

}  // namespace adcl::capi::v1
