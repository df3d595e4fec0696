/// \file corner_propagation.hpp
/// Edges and corners of the halo without messages to diagonal neighbours: what a dimension's message carries includes
/// the halo layers that earlier dimensions have filled, so 2n messages do the work of 3^n - 1.
/// Source: Palmer and Nieplocha 2002 (paper, reference 6).
#pragma once

#include "codelets/neighborhood/two_sided/dimension_by_dimension.hpp"

namespace adcl::codelets {

/// Why corners cannot travel with the faces of the problem, or nothing.
std::optional<std::string> without_propagation(const HaloProblem& problem);

/// The exchange with axis neighbours that does the same when its dimensions are done in ascending order.
std::unique_ptr<HaloProblem> fold_corners(const HaloProblem& problem);

template <typename Messages>
constexpr Algorithm corner_algorithm() {
  return {[](const Problem& problem) {
            const auto reason = without_propagation(halo(problem));
            return reason ? reason : Messages::applicable(*fold_corners(halo(problem)));
          },
          [](const Problem& problem) { return Messages::bytes(*fold_corners(halo(problem))); },
          [](const Problem& problem, mpi::Context& context, const Buffers& buffers) -> PlanPointer {
            return std::make_unique<DimensionByDimension<Messages>>(*fold_corners(halo(problem)), context.comm(),
                                                                    buffers);
          }};
}

}  // namespace adcl::codelets
