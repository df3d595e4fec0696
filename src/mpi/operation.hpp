/// \file operation.hpp
/// Operations of reductions.
#pragma once

#include <mpi.h>

namespace adcl::mpi {

/// Throws Error(argument) for MPI_OP_NULL.
bool is_commutative(MPI_Op op);

/// Throws Error(argument) for MPI_COMM_NULL and for an intercommunicator.
void require_intracommunicator(MPI_Comm comm);

}  // namespace adcl::mpi
