/// \file grid.hpp
/// The adaptive grid: in each dimension neighbouring intervals that are about equally dense become one bin.
/// Source: Nagesh, Goil and Choudhary, Adaptive Grids for Clustering Massive Data Sets, SIAM SDM 2001, section 4.
#pragma once

#include <cstdint>
#include <vector>

#include "points.hpp"

namespace mafia {

struct GridSettings {
  int intervals = 200;    ///< of the histogram
  int window = 2;         ///< intervals that are looked at together; their largest count stands for them
  double merging = 0.25;  ///< windows whose counts differ by less than this share become one bin
  int even_bins = 5;      ///< bins of a dimension without structure
  double density = 1.5;   ///< a bin is dense with this many times the points of an even distribution
};

struct Bin {
  int dimension = 0;
  double lower = 0.0;
  double upper = 0.0;
  double threshold = 0.0;             ///< points from which on it is dense
  std::vector<std::uint32_t> points;  ///< ascending indices of the points in it
};

/// The dense bins of all dimensions, by dimension and position.
std::vector<Bin> dense_bins(const Points& points, const GridSettings& settings);

}  // namespace mafia
