/// \file prior.hpp
/// What a halo exchange is expected to take with each codelet, from tables that were recorded on other machines. Pure.
///
/// Recorded are two ranks of one node: nothing is expected of exchanges between nodes.
#pragma once

#include <string_view>
#include <vector>

#include "core/codelet.hpp"
#include "core/problem.hpp"

namespace adcl::codelets {

/// What recorded settings are compared by.
struct ExchangeSize {
  double message_bytes = 0.0;  ///< of a message on average
  double messages = 0.0;       ///< of a field, that a rank sends
  double fields = 1.0;
};

/// For each row of the table what the nearest six recorded settings say of it on average, the nearer ones counting
/// more, and those of other MPI libraries than \p library less; nothing of rows that none of them has. Those of the MPI
/// library \p left_out do not count. A library is its family and its major version, as in "openmpi4".
std::vector<Expectation> expected_of(const ExchangeSize& size, std::string_view library,
                                     std::string_view left_out = "");

/// The same for a HaloProblem and the library that runs; empty where nothing is expected. Local: where ranks send
/// messages of different sizes, what rank 0 expects holds for all (request/request_create.cpp).
std::vector<Expectation> expected_of(const Problem& problem);

}  // namespace adcl::codelets
