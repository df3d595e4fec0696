/// \file corner_propagation.hpp
/// Edges and corners of the halo without messages to diagonal neighbors: what a dimension's message carries includes
/// the halo layers that earlier dimensions have filled, so 2n messages do the work of 3^n - 1.
/// Source: Palmer and Nieplocha 2002 (paper, reference 6).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "codelets/neighborhood/halo_problem.hpp"

namespace adcl::codelets {

/// Why corners cannot travel with the faces of the problem, or nothing.
std::optional<std::string> without_propagation(const HaloProblem& problem);

/// The exchange with axis neighbors that does the same when its dimensions are done in ascending order.
std::unique_ptr<HaloProblem> fold_corners(const HaloProblem& problem);

}  // namespace adcl::codelets
