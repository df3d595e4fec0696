/// \file grid.hpp
/// The grid points of this process: a block of the unit cube, and the ranks of the adjacent blocks.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>

namespace solver3d {

using Extents = std::array<int, 3>;

enum Side { low = 0, high = 1 };

/// Memory layout of an array that has one halo layer around the block. z is contiguous.
struct Layout {
  explicit Layout(const Extents& block_extents);

  [[nodiscard]] std::size_t offset(int i, int j, int k) const {
    return static_cast<std::size_t>(i + 1) * x_stride + static_cast<std::size_t>(j + 1) * y_stride +
           static_cast<std::size_t>(k + 1);
  }
  [[nodiscard]] std::size_t points() const { return lines * length; }

  Extents block;         ///< points without halo
  Extents padded;        ///< points with halo
  std::size_t x_stride;  ///< distance between neighbors in x
  std::size_t y_stride;
  std::size_t lines;   ///< number of lines of points along z
  std::size_t length;  ///< points of a line along z
  std::size_t size;    ///< number of doubles of an array
};

/// Divides the unit cube into equal blocks, one for each process of \p comm. Collective over \p comm.
/// The points are the inner points of a uniform grid whose outermost points lie on the surface of the cube.
class Grid {
 public:
  Grid(MPI_Comm comm, const Extents& block);
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;
  ~Grid();

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] const Extents& processes() const { return processes_; }
  [[nodiscard]] const Extents& points() const { return points_; }
  [[nodiscard]] const Layout& layout() const { return layout_; }

  /// Rank of the adjacent process, MPI_PROC_NULL at the surface of the cube.
  [[nodiscard]] int neighbor(int dimension, Side side) const {
    return neighbors_[static_cast<std::size_t>(dimension)][side];
  }
  [[nodiscard]] double spacing(int dimension) const { return spacing_[static_cast<std::size_t>(dimension)]; }

  /// Index of this process's first point in the whole grid.
  [[nodiscard]] int first(int dimension) const { return first_[static_cast<std::size_t>(dimension)]; }

  /// Coordinate of point \p index of this block; -1 and the extent are points of the halo, half-integers lie between
  /// points.
  [[nodiscard]] double coordinate(int dimension, double index) const {
    return (first(dimension) + index + 1.0) * spacing(dimension);
  }

 private:
  Layout layout_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  Extents processes_{};
  Extents points_{};
  Extents first_{};
  std::array<std::array<int, 2>, 3> neighbors_{};
  std::array<double, 3> spacing_{};
};

}  // namespace solver3d
