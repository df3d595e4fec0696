/// \file vmaps.hpp
/// The vmaps of halo exchanges.
#pragma once

#include <optional>
#include <utility>

#include "codelets/neighborhood/halo_problem.hpp"
#include "data/vmap.hpp"

namespace adcl::codelets {

/// Halo layers of a regular grid.
class HaloVmap final : public data::Vmap {
 public:
  /// Equal widths on both sides of every dimension.
  explicit HaloVmap(int width) : width_(width) {}
  explicit HaloVmap(HaloWidths widths) : widths_(std::move(widths)) {}

  /// Widths for \p ndims dimensions. Throws Error(argument) if the vmap was created for another number of dimensions.
  [[nodiscard]] HaloWidths widths_for(int ndims) const;

 private:
  std::optional<int> width_;
  HaloWidths widths_;
};

/// Grid points per neighbor of a graph.
class GraphVmap final : public data::Vmap {
 public:
  explicit GraphVmap(GraphPoints points) : points_(std::move(points)) {}
  [[nodiscard]] const GraphPoints& points() const noexcept { return points_; }

 private:
  GraphPoints points_;
};

}  // namespace adcl::codelets
