/// \file allreduce_doubling.hpp
/// Recursive doubling, which other operations also use.
#pragma once

#include "codelets/collectives/schedule.hpp"

namespace adcl::codelets {

/// Combines \p input of all ranks, in their order, and stores the result in \p result on all ranks, which may be the
/// same memory as \p input.
void allreduce_by_doubling(Script& script, const Piece& input, const Piece& result);

}  // namespace adcl::codelets
