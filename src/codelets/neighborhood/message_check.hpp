/// \file message_check.hpp
/// Checks that neighbors match: each message that a rank sends must be the message that the receiver expects.
#pragma once

#include <array>
#include <cstdint>

#include "codelets/neighborhood/halo_problem.hpp"

namespace adcl {

/// The messages that this rank sends minus the messages that it expects, as two numbers. The sum of the first number
/// over all ranks is zero if each message has a sender and a receiver. The sum of the second is zero if they also agree
/// on its length, the shape of the region and the basic datatypes (up to collisions of 64-bit hashes). Local.
std::array<std::uint64_t, 2> message_balances(const HaloProblem& problem);

/// Throws Error(mismatch) on all ranks. Call it if \p balances, the sums of message_balances() over all ranks, are not
/// all zero. Collective; uses the problem's tags.
void verify_messages(const HaloProblem& problem, mpi::Context& context, const std::array<std::uint64_t, 2>& balances);

}  // namespace adcl
