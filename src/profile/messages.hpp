/// \file messages.hpp
/// Point-to-point messages, counted at the sender: one for each, with what it carries. Messages to MPI_PROC_NULL are
/// none.
#pragma once

#include <mpi.h>

#include "profile/counters.hpp"

namespace adcl::profile {

void count_message(Counters& counters, long long count, MPI_Datatype type, int destination) noexcept;

/// Remembers what every start of a persistent or partitioned request will send.
void remember_persistent(MPI_Request request, long long count, MPI_Datatype type, int destination) noexcept;
void forget_persistent(MPI_Request request) noexcept;
void count_start(Counters& counters, MPI_Request request) noexcept;

}  // namespace adcl::profile
