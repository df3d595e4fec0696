/// \file neighbor_check.hpp
/// Whether neighbours fit together: what one of them sends must be what the other one expects.
#pragma once

#include <mpi.h>

#include "core/halo_problem.hpp"
#include "runtime/agreement.hpp"

namespace adcl::runtime {

/// Adds what this rank sends to, and takes what it expects from, the ballot's first two sums: over all ranks the first
/// is zero when each message has a sender and a receiver, the second when they also agree on its length, on the shape
/// of the region and on the basic datatypes (up to collisions of 64-bit hashes). Local.
void add_messages(Ballot& ballot, const HaloProblem& problem);

/// Throws Error(mismatch) on the ranks whose incoming messages are not what they expect. Collective over neighbours,
/// each of whose messages has a sender and a receiver; uses the problem's tags.
void compare_messages(const HaloProblem& problem, MPI_Comm comm);

}  // namespace adcl::runtime
