/// \file messages.hpp
/// Point-to-point messages and their bytes, counted at the sender. Messages to MPI_PROC_NULL are not counted.
#pragma once

#include <mpi.h>

#include "profile/counters.hpp"

namespace adcl::profile {

void count_message(Counters& counters, long long count, MPI_Datatype type, int destination) noexcept;

/// Stores the size of the message that every start of a persistent or partitioned request sends.
void remember_persistent(MPI_Request request, long long count, MPI_Datatype type, int destination) noexcept;
void forget_persistent(MPI_Request request) noexcept;
void count_start(Counters& counters, MPI_Request request) noexcept;

}  // namespace adcl::profile
