#include "grid.hpp"

namespace solver3d {

Layout::Layout(const Extents& block_extents)
    : block(block_extents),
      padded{block[0] + 2, block[1] + 2, block[2] + 2},
      x_stride(static_cast<std::size_t>(padded[1]) * static_cast<std::size_t>(padded[2])),
      y_stride(static_cast<std::size_t>(padded[2])),
      lines(static_cast<std::size_t>(block[0]) * static_cast<std::size_t>(block[1])),
      length(static_cast<std::size_t>(block[2])),
      size(static_cast<std::size_t>(padded[0]) * x_stride) {}

Grid::Grid(MPI_Comm comm, const Extents& block) : layout_(block) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  MPI_Dims_create(size, 3, processes_.data());
  const Extents periods{};
  MPI_Cart_create(comm, 3, processes_.data(), periods.data(), 0, &comm_);
  MPI_Comm_rank(comm_, &rank_);
  Extents coordinates{};
  MPI_Cart_coords(comm_, rank_, 3, coordinates.data());
  for (int dimension = 0; dimension < 3; ++dimension) {
    const auto d = static_cast<std::size_t>(dimension);
    MPI_Cart_shift(comm_, dimension, 1, &neighbors_[d][low], &neighbors_[d][high]);
    points_[d] = processes_[d] * block[d];
    first_[d] = coordinates[d] * block[d];
    spacing_[d] = 1.0 / (points_[d] + 1);
  }
}

Grid::~Grid() { MPI_Comm_free(&comm_); }

}  // namespace solver3d
