/// \file lattice.hpp
/// The D3Q19 lattice (Y. H. Qian, D. d'Humieres, P. Lallemand, Lattice BGK models for Navier-Stokes equation, Europhys.
/// Lett. 17, 1992): a population at rest, six along the axes, twelve along diagonals of two axes.
#pragma once

#include <array>
#include <cstddef>

namespace lattice_boltzmann {

using Extents = std::array<int, 3>;

inline constexpr std::size_t populations = 19;

/// Number of moving populations. Each is a field that is exchanged: population 1 + f is field f.
inline constexpr int moving = 18;

inline constexpr std::array<Extents, populations> velocity{{
    {0, 0, 0},                                       // at rest
    {1, 0, 0},  {-1, 0, 0}, {0, 1, 0}, {0, -1, 0},   // pairs of opposite velocities
    {0, 0, 1},  {0, 0, -1}, {1, 1, 0}, {-1, -1, 0},  //
    {1, -1, 0}, {-1, 1, 0}, {1, 0, 1}, {-1, 0, -1},  //
    {1, 0, -1}, {-1, 0, 1}, {0, 1, 1}, {0, -1, -1},  //
    {0, 1, -1}, {0, -1, 1},
}};

constexpr std::size_t opposite(std::size_t population) noexcept {
  return population == 0 ? 0 : (population % 2 == 1 ? population + 1 : population - 1);
}

constexpr double weight(std::size_t population) noexcept {
  return population == 0 ? 1.0 / 3.0 : (population <= 6 ? 1.0 / 18.0 : 1.0 / 36.0);
}

}  // namespace lattice_boltzmann
