/// \file gather_linear.hpp
/// A direct gather, which other operations also use.
#pragma once

#include "codelets/collectives/schedule.hpp"

namespace adcl::codelets {

/// Each rank sends its block to the root. \p in_flight: number of concurrent messages, 0 for all. With \p synchronized,
/// the root signals when it is ready for a block.
void gather_directly(Script& script, int in_flight, bool synchronized);

}  // namespace adcl::codelets
