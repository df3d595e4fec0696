/// \file alltoall.hpp
/// An all-to-all by MPI's own call, and by ADCL.
#pragma once

#include "rounds.hpp"

namespace demo {

/// \p bytes from each rank to each other rank. Collective over MPI_COMM_WORLD.
Comparison compare_alltoall(int bytes, const Limits& limits);

}  // namespace demo
