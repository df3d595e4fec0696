/// \file scatter_linear.hpp
/// A scatter without other ranks in between, as a part of other operations too.
#pragma once

#include "codelets/collectives/schedule.hpp"

namespace adcl::codelets {

/// The root sends each rank its block. \p in_flight: how many messages are under way at a time, 0 for all. With
/// \p synchronized a rank says when it is ready for its block.
void scatter_directly(Script& script, int in_flight, bool synchronised);

}  // namespace adcl::codelets
