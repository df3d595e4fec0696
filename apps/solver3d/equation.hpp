/// \file equation.hpp
/// The differential equation, its discretization and its manufactured solution.
///
/// d phi/dt + div(u phi) - div(k grad phi) = f in the unit cube, phi given on its surface. The velocity u is a vortex
/// around the z axis plus a channel flow along it, free of divergence; u and the conductivity k depend on x and y. The
/// solution is phi(x, y, z, t) = (1 + t) g(x, y, z); f and the values on the surface follow from it. It is linear in
/// time, so an implicit Euler step adds no error: the remaining error comes from the central differences, O(h^2).
#pragma once

#include <vector>

#include "grid.hpp"

namespace solver3d {

/// One row of the matrix, which is the same for all points of a line along z.
struct Stencil {
  double center;
  double west, east;    ///< x - h, x + h
  double south, north;  ///< y - h, y + h
  double down, up;      ///< z - h, z + h
};

class Equation {
 public:
  /// Length of a time step.
  static constexpr double time_step = 0.05;

  /// Local.
  explicit Equation(const Grid& grid);

  /// Rows of the matrix I / time_step + L of an implicit time step, one per line of points.
  [[nodiscard]] const std::vector<Stencil>& stencils() const { return stencils_; }

  /// g at the points of the block, without halo.
  [[nodiscard]] const std::vector<double>& shape() const { return shape_; }

  /// Computes the right side of the step from \p previous (without halo) to time \p time.
  void right_side(const std::vector<double>& previous, double time, std::vector<double>& result) const;

  /// Largest sum of absolute values in a row of the matrix, on this rank.
  [[nodiscard]] double matrix_norm() const;

  /// A lower bound on the eigenvalues of L's symmetric part. It bounds the ratio of the error of a solution to its
  /// residual.
  [[nodiscard]] static double smallest_eigenvalue();

 private:
  void make_stencils(const Grid& grid);
  void make_shape(const Grid& grid);
  void make_source(const Grid& grid);

  std::vector<Stencil> stencils_;
  std::vector<double> shape_;
  std::vector<double> source_;  ///< L g in the block minus the contribution of the surface to the matrix product
};

}  // namespace solver3d
