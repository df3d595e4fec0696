/// \file prior.hpp
/// What a collective is expected to take with each codelet, from tables that were recorded on other machines. Pure.
///
/// Recorded are two ranks of one node: of operations on more than four ranks, or between nodes, nothing is expected.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/codelet.hpp"
#include "core/problem.hpp"

namespace adcl::codelets {

/// For each row of \p set what the nearest six recorded block sizes say of it on average, the nearer ones counting
/// more, and those of other MPI libraries than \p library less; nothing of rows that none of them has. Those of the MPI
/// library \p left_out do not count. A library is its family and its major version, as in "openmpi4".
std::vector<Expectation> expected_of(const FunctionSet& set, std::int64_t block_bytes, std::string_view library,
                                     std::string_view left_out = "");

/// The same for a CollectiveProblem and the library that runs; empty where nothing is expected, which is so on all
/// ranks or on none. Local: where blocks differ between ranks, what rank 0 expects holds for all
/// (request/request_create.cpp).
std::vector<Expectation> expected_of(const FunctionSet& set, const Problem& problem);

}  // namespace adcl::codelets
