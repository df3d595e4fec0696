/// \file search.hpp
/// MAFIA: all clusters of a set of points in all subspaces, with the time that each kernel took.
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
  std::vector<Box> clusters;             ///< dense units that are part of no larger one
  std::array<double, 4> seconds{};       ///< by kernel, over all levels
  std::vector<std::size_t> dense_units;  ///< by number of bins, from 1 on
};

/// Throws std::length_error where there are more dense bins than bitmaps hold.
Result search(const Points& points, const GridSettings& settings, Kernels kernels);

/// What is wrong with the clusters of two and more dimensions that were found; empty: they are the planted ones, each
/// edge to within \p tolerance.
std::string difference(const std::vector<Box>& planted, const std::vector<Box>& found, double tolerance);

}  // namespace mafia
