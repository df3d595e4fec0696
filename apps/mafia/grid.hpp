/// \file grid.hpp
/// The adaptive grid: in each dimension, neighboring intervals of about equal density are merged into one bin.
/// Source: Nagesh, Goil and Choudhary, Adaptive Grids for Clustering Massive Data Sets, SIAM SDM 2001, section 4.
#pragma once

#include <cstdint>
#include <vector>

#include "points.hpp"

namespace mafia {

struct GridSettings {
  int intervals = 200;    ///< intervals of the histogram
  int window = 2;         ///< intervals per window; their largest count represents the window
  double merging = 0.25;  ///< adjacent windows are merged if their counts differ by less than this share
  int even_bins = 5;      ///< number of bins of a dimension without structure
  double density = 1.5;   ///< minimum ratio of a dense bin's points to the points of a uniform distribution
};

struct Bin {
  int dimension = 0;
  double lower = 0.0;
  double upper = 0.0;
  double threshold = 0.0;             ///< minimum number of points of a dense bin
  std::vector<std::uint32_t> points;  ///< ascending indices of its points
};

/// The dense bins of all dimensions, by dimension and position.
std::vector<Bin> dense_bins(const Points& points, const GridSettings& settings);

}  // namespace mafia
