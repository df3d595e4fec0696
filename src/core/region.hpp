/// \file region.hpp
/// Regions of an n-dimensional array, in grid points. Pure.
#pragma once

#include <cstdint>
#include <vector>

namespace adcl {

/// An n-dimensional array of grid points. Dimension d of the process grid divides dimension d of the array, in both
/// storage orders.
struct Grid {
  std::vector<int> dims;  ///< extents, halo included
  bool fortran_order = false;

  /// Distance in grid points between neighbors along each dimension.
  [[nodiscard]] std::vector<std::int64_t> strides() const;
  [[nodiscard]] std::int64_t points() const;
};

/// Either a box (start and extent per dimension) or a list of linear grid point indices, in the order of the packed
/// data.
struct Region {
  std::vector<int> start;
  std::vector<int> extent;
  std::vector<int> points;
  bool indexed = false;

  [[nodiscard]] std::int64_t count() const;
};

/// True if two regions of one array, both boxes or both lists, have a grid point in common.
bool overlap(const Region& a, const Region& b);

/// A region of a grid as nested loops over contiguous runs, outermost loop first, in bytes. Adjacent dimensions that
/// are contiguous in memory are joined, so a face of whole rows is a single run.
struct Loops {
  struct Level {
    std::int64_t count;
    std::int64_t stride_bytes;
  };
  std::int64_t offset_bytes = 0;
  std::int64_t run_bytes = 0;  ///< length of the innermost contiguous run; 0: the region is empty
  std::vector<Level> levels;   ///< outermost first
};

/// \p region must be a box inside \p grid.
Loops loops_of(const Region& region, const Grid& grid, std::int64_t element_bytes);

}  // namespace adcl
