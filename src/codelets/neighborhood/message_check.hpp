/// \file message_check.hpp
/// Whether neighbors fit together: what one of them sends must be what the other one expects.
#pragma once

#include <array>
#include <cstdint>

#include "codelets/neighborhood/halo_problem.hpp"

namespace adcl {

/// What this rank sends less what it expects, as two numbers. Over all ranks the first one adds up to zero when each
/// message has a sender and a receiver, the second when they also agree on its length, on the shape of the region and
/// on the basic datatypes (up to collisions of 64-bit hashes). Local.
std::array<std::uint64_t, 2> message_balances(const HaloProblem& problem);

/// Throws Error(mismatch) on all ranks: the sums of message_balances() over all ranks, \p balances, are not all zero.
/// Collective; uses the problem's tags.
void verify_messages(const HaloProblem& problem, mpi::Context& context, const std::array<std::uint64_t, 2>& balances);

}  // namespace adcl
