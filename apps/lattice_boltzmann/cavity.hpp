/// \file cavity.hpp
/// Velocities in the lid-driven cavity at Reynolds number 100: U. Ghia, K. N. Ghia, C. T. Shin, High-Re solutions for
/// incompressible flow using the Navier-Stokes equations and a multigrid method, J. Comput. Phys. 48, 1982, Tables I,
/// II.
#pragma once

#include <span>
#include <vector>

namespace lattice_boltzmann {

struct ProfilePoint {
  double place;     ///< along the center line, in units of the cavity
  double velocity;  ///< across the center line, in units of the lid's velocity
};

/// The velocity along x on the vertical center line, and along y on the horizontal center line.
std::span<const ProfilePoint> vertical_profile();
std::span<const ProfilePoint> horizontal_profile();

/// Largest difference between \p values, in units of the lid's velocity, and a published profile. The values are at
/// positions (i + 1/2) / n; they are \p low and \p high at 0 and 1. Values in between are interpolated.
double largest_difference(std::span<const ProfilePoint> profile, const std::vector<double>& values, double low,
                          double high);

}  // namespace lattice_boltzmann
