/// \file gather_linear.hpp
/// A gather without other ranks in between, as a part of other operations too.
#pragma once

#include "codelets/collectives/schedule.hpp"

namespace adcl::codelets {

/// Each rank sends the root its block. \p in_flight: how many messages are under way at a time, 0 for all. With
/// \p synchronized the root says when it is ready for a block.
void gather_directly(Script& script, int in_flight, bool synchronised);

}  // namespace adcl::codelets
