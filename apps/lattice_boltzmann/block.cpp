#include "block.hpp"

namespace lattice_boltzmann {

Block::Block(MPI_Comm comm, const Extents& extents, const Extents& periodic) : extents_(extents), periodic_(periodic) {
  int ranks = 0;
  int rank = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Dims_create(ranks, 3, processes_.data());
  MPI_Cart_create(comm, 3, processes_.data(), periodic_.data(), 0, &comm_);
  MPI_Comm_rank(comm_, &rank);
  MPI_Cart_coords(comm_, rank, 3, coordinates_.data());
}

Block::~Block() { MPI_Comm_free(&comm_); }

int Block::neighbor(const Extents& direction) const {
  Extents there{};
  for (std::size_t d = 0; d < 3; ++d) {
    if (direction[d] != 0 && at_wall(d, direction[d])) {
      return MPI_PROC_NULL;
    }
    there[d] = (coordinates_[d] + direction[d] + processes_[d]) % processes_[d];
  }
  int rank = MPI_PROC_NULL;
  MPI_Cart_rank(comm_, there.data(), &rank);
  return rank;
}

bool Block::at_wall(std::size_t dimension, int side) const noexcept {
  return periodic_[dimension] == 0 && coordinates_[dimension] == (side < 0 ? 0 : processes_[dimension] - 1);
}

std::size_t Block::size() const noexcept { return offset(extents_[0], 0, 0); }

std::size_t Block::offset(int x, int y, int z) const noexcept {
  return (static_cast<std::size_t>(x) * static_cast<std::size_t>(extents_[1]) + static_cast<std::size_t>(y)) *
             static_cast<std::size_t>(extents_[2]) +
         static_cast<std::size_t>(z);
}

}  // namespace lattice_boltzmann
