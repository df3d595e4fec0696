/// \file sets.hpp
/// The predefined function sets.
#pragma once

#include "core/codelet.hpp"

namespace adcl::codelets {

/// ADCL_FNCTSET_NEIGHBORHOOD; its codelets take a HaloProblem.
const FunctionSet& neighborhood();

}  // namespace adcl::codelets
