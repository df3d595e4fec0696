/// \file block.hpp
/// This rank's block of the grid, its neighbors along axes and diagonals, and boxes of points.
#pragma once

#include <mpi.h>

#include "lattice.hpp"

namespace lattice_boltzmann {

/// Points from low to high - 1.
struct Box {
  Extents low{};
  Extents high{};
};

/// Calls \p work(x, y) for each line along z.
template <typename Work>
void for_lines(const Box& box, Work work) {
  for (int x = box.low[0]; x < box.high[0]; ++x) {
    for (int y = box.low[1]; y < box.high[1]; ++y) {
      work(x, y);
    }
  }
}

class Block {
 public:
  /// \p extents: points of each rank; \p periodic: 1 for periodic dimensions. Collective.
  Block(MPI_Comm comm, const Extents& extents, const Extents& periodic);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block();

  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
  [[nodiscard]] const Extents& extents() const noexcept { return extents_; }
  [[nodiscard]] const Extents& processes() const noexcept { return processes_; }

  /// Points of the whole grid.
  [[nodiscard]] int points(std::size_t dimension) const noexcept { return processes_[dimension] * extents_[dimension]; }

  /// Index in the whole grid of this block's first point.
  [[nodiscard]] int first(std::size_t dimension) const noexcept {
    return coordinates_[dimension] * extents_[dimension];
  }

  /// The rank of the adjacent block in that direction; MPI_PROC_NULL beyond a wall.
  [[nodiscard]] int neighbor(const Extents& direction) const;

  /// True if the block ends at a wall on that side, \p side -1 or 1.
  [[nodiscard]] bool at_wall(std::size_t dimension, int side) const noexcept;

  [[nodiscard]] Box whole() const noexcept { return {{0, 0, 0}, extents_}; }
  [[nodiscard]] std::size_t size() const noexcept;

  /// Offset of a point in an array without halo.
  [[nodiscard]] std::size_t offset(int x, int y, int z) const noexcept;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  Extents extents_;
  Extents periodic_;
  Extents processes_{};
  Extents coordinates_{};
};

}  // namespace lattice_boltzmann
