/// \file search.hpp
/// MAFIA: finds all clusters of a set of points in all subspaces, and measures the time of each kernel.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "grid.hpp"
#include "points.hpp"

namespace mafia {

enum class Kernels { bitmap, set };

inline constexpr std::array<const char*, 4> kernel_names{"gen", "dedup", "pcount", "unjoin"};

struct Result {
  std::vector<Box> clusters;             ///< dense units that are not part of a larger unit
  std::array<double, 4> seconds{};       ///< time of each kernel over all levels
  std::vector<std::size_t> dense_units;  ///< number of dense units by number of bins, from 1
};

/// Throws std::length_error if there are more dense bins than bitmaps hold.
Result search(const Points& points, const GridSettings& settings, Kernels kernels);

/// Describes a difference between the planted and the found clusters of two or more dimensions; empty if all edges
/// agree within \p tolerance.
std::string difference(const std::vector<Box>& planted, const std::vector<Box>& found, double tolerance);

}  // namespace mafia
