/// \file scatter_linear.hpp
/// A direct scatter, which other operations also use.
#pragma once

#include "codelets/collectives/schedule.hpp"

namespace adcl::codelets {

/// The root sends each rank its block. \p in_flight: number of concurrent messages, 0 for all. With \p synchronized, a
/// rank signals when it is ready for its block.
void scatter_directly(Script& script, int in_flight, bool synchronized);

}  // namespace adcl::codelets
