/// \file operation.hpp
/// Reduction operations (MPI_Op).
#pragma once

#include <mpi.h>

namespace adcl::mpi {

/// Throws Error(argument) for MPI_OP_NULL.
bool is_commutative(MPI_Op op);

/// Whether the last bits of a reduction with \p op, of values of \p type from each of \p ranks, depend on the order of
/// combination. Integers, logical values and bits are exact. Floating-point addition and multiplication are
/// commutative, so two values give the same result in both orders. All other operations, including user-defined
/// operations, may depend on the order.
bool order_matters(MPI_Op op, MPI_Datatype type, int ranks);

}  // namespace adcl::mpi
