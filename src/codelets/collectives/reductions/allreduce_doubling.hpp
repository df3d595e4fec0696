/// \file allreduce_doubling.hpp
/// Recursive doubling, as a part of other operations too.
#pragma once

#include "codelets/collectives/schedule.hpp"

namespace adcl::codelets {

/// Combines \p input of all ranks, in their order, and leaves what comes out at \p result of each, which may be where
/// its input is.
void allreduce_by_doubling(Script& script, const Piece& input, const Piece& result);

}  // namespace adcl::codelets
