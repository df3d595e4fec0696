/// \file matrix.hpp
/// The matrix rows of this process, applied to an array with a filled halo.
#pragma once

#include <span>
#include <vector>

#include "equation.hpp"
#include "grid.hpp"

namespace solver3d {

/// Points first[d] <= index < last[d] of the block.
struct Box {
  Extents first;
  Extents last;
};

class Matrix {
 public:
  Matrix(const Grid& grid, std::span<const Stencil> stencils);

  /// \p product (without halo) = matrix * \p values (with halo). The results of all variants are bitwise identical.
  void apply(const double* values, double* product) const { apply(whole_, values, product); }

  /// Like apply(), for the points that need no halo value from another process, and for all other points.
  void apply_inside(const double* values, double* product) const { apply(inside_, values, product); }
  void apply_outside(const double* values, double* product) const;

  /// The Jacobi preconditioner: one value per line along z.
  [[nodiscard]] std::span<const double> inverse_diagonal() const { return inverse_diagonal_; }

 private:
  void apply(const Box& box, const double* values, double* product) const;

  Layout layout_;
  std::vector<Stencil> stencils_;
  std::vector<double> inverse_diagonal_;
  Box whole_;
  Box inside_;
  std::vector<Box> outside_;
};

}  // namespace solver3d
