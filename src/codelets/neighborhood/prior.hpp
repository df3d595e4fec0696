/// \file prior.hpp
/// Expected time of a halo exchange with each codelet, from tables that were recorded on other machines. Pure.
///
/// The tables contain two ranks of one node: there are no priors for exchanges between nodes.
#pragma once

#include <string_view>
#include <vector>

#include "core/codelet.hpp"
#include "core/problem.hpp"

namespace adcl::codelets {

/// The numbers by which recorded settings are compared.
struct ExchangeSize {
  double message_bytes = 0.0;  ///< average size of a message
  double messages = 0.0;       ///< messages of a field that a rank sends
  double fields = 1.0;
};

/// Returns for each row of the table a weighted mean of the six nearest recorded settings. Nearer settings have larger
/// weights, and MPI libraries other than \p library smaller ones; rows without a recorded time have no prior. Records
/// of the MPI library \p left_out are ignored. A library is its family and its major version, such as "openmpi4".
std::vector<Expectation> expected_of(const ExchangeSize& size, std::string_view library,
                                     std::string_view left_out = "");

/// Returns the priors for a HaloProblem and the MPI library at run time; empty if there are no priors. Local: if ranks
/// send messages of different sizes, rank 0's priors apply to all ranks (request/request_create.cpp).
std::vector<Expectation> expected_of(const Problem& problem);

}  // namespace adcl::codelets
