#include "equation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace solver3d {
namespace {

using std::numbers::pi;

constexpr double speed = 20.0;
constexpr double smallest_conductivity = 0.5;

double velocity_x(double x, double y) { return speed * std::sin(pi * x) * std::cos(pi * y); }
double velocity_y(double x, double y) { return -speed * std::cos(pi * x) * std::sin(pi * y); }
double velocity_z(double x, double y) { return speed * 16.0 * x * (1.0 - x) * y * (1.0 - y); }

double conductivity(double x, double y) {
  return 1.0 + (1.0 - smallest_conductivity) * std::sin(2.0 * pi * x) * std::sin(2.0 * pi * y);
}

/// A factor of g along one axis, with its first and second derivatives.
struct Factor {
  double value, first, second;
};

Factor factor(int dimension, double coordinate) {
  constexpr double frequency[] = {2.0, 1.5, 2.5};
  constexpr double phase[] = {0.4, 0.7, 0.2};
  const double argument = frequency[dimension] * coordinate + phase[dimension];
  return {std::sin(argument), frequency[dimension] * std::cos(argument),
          -frequency[dimension] * frequency[dimension] * std::sin(argument)};
}

/// The operator applied to g: u . grad g - div(k grad g).
double exact_operator(double x, double y, double z) {
  const Factor a = factor(0, x);
  const Factor b = factor(1, y);
  const Factor c = factor(2, z);
  const double amplitude = 2.0 * pi * (1.0 - smallest_conductivity);
  const double k_x = amplitude * std::cos(2.0 * pi * x) * std::sin(2.0 * pi * y);
  const double k_y = amplitude * std::sin(2.0 * pi * x) * std::cos(2.0 * pi * y);
  const double g_x = a.first * b.value * c.value;
  const double g_y = a.value * b.first * c.value;
  const double g_z = a.value * b.value * c.first;
  const double laplace = a.second * b.value * c.value + a.value * b.second * c.value + a.value * b.value * c.second;
  return (velocity_x(x, y) - k_x) * g_x + (velocity_y(x, y) - k_y) * g_y + velocity_z(x, y) * g_z -
         conductivity(x, y) * laplace;
}

double exact_shape(double x, double y, double z) {
  return factor(0, x).value * factor(1, y).value * factor(2, z).value;
}

/// Flux through the face between two points by central differences: the coefficients of the point before the face
/// (negative) and of the point behind it.
struct Flux {
  double before, behind;
};

Flux flux(double velocity, double k, double spacing) {
  const double convection = velocity / (2.0 * spacing);
  const double diffusion = k / (spacing * spacing);
  return {convection + diffusion, convection - diffusion};
}

}  // namespace

Equation::Equation(const Grid& grid) {
  make_stencils(grid);
  make_shape(grid);
  make_source(grid);
}

void Equation::make_stencils(const Grid& grid) {
  const Extents& block = grid.layout().block;
  stencils_.reserve(grid.layout().lines);
  for (int i = 0; i < block[0]; ++i) {
    for (int j = 0; j < block[1]; ++j) {
      const double x = grid.coordinate(0, i);
      const double y = grid.coordinate(1, j);
      const double west = grid.coordinate(0, i - 0.5);
      const double east = grid.coordinate(0, i + 0.5);
      const double south = grid.coordinate(1, j - 0.5);
      const double north = grid.coordinate(1, j + 0.5);
      const Flux w = flux(velocity_x(west, y), conductivity(west, y), grid.spacing(0));
      const Flux e = flux(velocity_x(east, y), conductivity(east, y), grid.spacing(0));
      const Flux s = flux(velocity_y(x, south), conductivity(x, south), grid.spacing(1));
      const Flux n = flux(velocity_y(x, north), conductivity(x, north), grid.spacing(1));
      const Flux z = flux(velocity_z(x, y), conductivity(x, y), grid.spacing(2));
      const double center = 1.0 / time_step + (e.before - w.behind) + (n.before - s.behind) + (z.before - z.behind);
      stencils_.push_back({center, -w.before, e.behind, -s.before, n.behind, -z.before, z.behind});
    }
  }
}

void Equation::make_shape(const Grid& grid) {
  const Extents& block = grid.layout().block;
  shape_.reserve(grid.layout().points());
  for (int i = 0; i < block[0]; ++i) {
    for (int j = 0; j < block[1]; ++j) {
      for (int k = 0; k < block[2]; ++k) {
        shape_.push_back(exact_shape(grid.coordinate(0, i), grid.coordinate(1, j), grid.coordinate(2, k)));
      }
    }
  }
}

void Equation::make_source(const Grid& grid) {
  const Extents& block = grid.layout().block;
  source_.reserve(grid.layout().points());
  for (int i = 0; i < block[0]; ++i) {
    for (int j = 0; j < block[1]; ++j) {
      const Stencil& row =
          stencils_[static_cast<std::size_t>(i) * static_cast<std::size_t>(block[1]) + static_cast<std::size_t>(j)];
      for (int k = 0; k < block[2]; ++k) {
        const Extents point{i, j, k};
        const std::array<std::array<double, 2>, 3> coefficients{
            {{row.west, row.east}, {row.south, row.north}, {row.down, row.up}}};
        const std::array<double, 3> at{grid.coordinate(0, i), grid.coordinate(1, j), grid.coordinate(2, k)};
        double value = exact_operator(at[0], at[1], at[2]);
        for (std::size_t d = 0; d < 3; ++d) {
          for (const Side side : {low, high}) {
            const int beside = point[d] + (side == low ? -1 : 1);
            const bool outside = beside < 0 || beside == block[d];
            if (outside && grid.neighbor(static_cast<int>(d), side) == MPI_PROC_NULL) {
              std::array<double, 3> surface = at;
              surface[d] = grid.coordinate(static_cast<int>(d), beside);
              value -= coefficients[d][side] * exact_shape(surface[0], surface[1], surface[2]);
            }
          }
        }
        source_.push_back(value);
      }
    }
  }
}

void Equation::right_side(const std::vector<double>& previous, double time, std::vector<double>& result) const {
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = previous[i] / time_step + shape_[i] + (1.0 + time) * source_[i];
  }
}

double Equation::matrix_norm() const {
  double norm = 0.0;
  for (const Stencil& row : stencils_) {
    norm = std::max(norm, std::abs(row.center) + std::abs(row.west) + std::abs(row.east) + std::abs(row.south) +
                              std::abs(row.north) + std::abs(row.down) + std::abs(row.up));
  }
  return norm;
}

double Equation::smallest_eigenvalue() { return smallest_conductivity * 3.0 * pi * pi; }

}  // namespace solver3d
