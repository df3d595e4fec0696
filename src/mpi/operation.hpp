/// \file operation.hpp
/// Operations of reductions.
#pragma once

#include <mpi.h>

namespace adcl::mpi {

/// Throws Error(argument) for MPI_OP_NULL.
bool is_commutative(MPI_Op op);

/// Whether the last bits of what \p op makes of values of \p type, one from each of \p ranks, depend on the order in
/// which they are combined. Whole numbers, truth values and bits are combined exactly; two sums or products of floating
/// point are the same both ways round; of everything else, the application's own operations among it, nothing is known.
bool order_matters(MPI_Op op, MPI_Datatype type, int ranks);

}  // namespace adcl::mpi
