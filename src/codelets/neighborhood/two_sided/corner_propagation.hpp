/// \file corner_propagation.hpp
/// Fills edges and corners of the halo without messages to diagonal neighbors: the message of a dimension includes the
/// halo layers that earlier dimensions have filled, so 2n messages replace 3^n - 1.
/// Source: Palmer and Nieplocha 2002 (paper, reference 6).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "codelets/neighborhood/halo_problem.hpp"

namespace adcl::codelets {

/// Reason why messages of faces cannot include the corners of the problem, or nothing.
std::optional<std::string> without_propagation(const HaloProblem& problem);

/// The equivalent exchange with axis neighbors only; its dimensions must be exchanged in ascending order.
std::unique_ptr<HaloProblem> fold_corners(const HaloProblem& problem);

}  // namespace adcl::codelets
