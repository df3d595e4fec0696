/// \file prior.hpp
/// Expected time of a collective with each codelet, from tables that were recorded on other machines. Pure.
///
/// The tables contain two ranks of one node: there are no priors for more than four ranks, or between nodes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/codelet.hpp"
#include "core/problem.hpp"

namespace adcl::codelets {

/// Returns for each row of \p set a weighted mean of the six nearest recorded block sizes. Nearer sizes have larger
/// weights, and MPI libraries other than \p library smaller ones; rows without a recorded time have no prior. Records
/// of the MPI library \p left_out are ignored. A library is its family and its major version, such as "openmpi4".
std::vector<Expectation> expected_of(const FunctionSet& set, std::int64_t block_bytes, std::string_view library,
                                     std::string_view left_out = "");

/// Returns the priors for a CollectiveProblem and the MPI library at run time; empty, on all ranks or on none, if there
/// are no priors. Local: if blocks differ between ranks, rank 0's priors apply to all ranks
/// (request/request_create.cpp).
std::vector<Expectation> expected_of(const FunctionSet& set, const Problem& problem);

}  // namespace adcl::codelets
