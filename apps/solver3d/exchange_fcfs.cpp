/// First come, first served: all receives and sends at once, described by derived datatypes.
#include "exchange_fcfs.hpp"

#include "exchange_rows.hpp"

namespace solver3d {

Fcfs::Fcfs(const Grid& grid, std::span<double* const> arrays)
    : grid_(grid), types_(grid.layout()), arrays_(arrays.begin(), arrays.end()) {}

void Fcfs::start(std::size_t index) {
  double* const array = arrays_[index];
  int pending = 0;
  for (int dimension = 0; dimension < 3; ++dimension) {
    for (const Side side : {low, high}) {
      MPI_Irecv(array, 1, types_.received(dimension, side), grid_.neighbor(dimension, side),
                tag_of(dimension, opposite(side)), grid_.comm(), &requests_[static_cast<std::size_t>(pending++)]);
    }
  }
  for (int dimension = 0; dimension < 3; ++dimension) {
    for (const Side side : {low, high}) {
      MPI_Isend(array, 1, types_.sent(dimension, side), grid_.neighbor(dimension, side), tag_of(dimension, side),
                grid_.comm(), &requests_[static_cast<std::size_t>(pending++)]);
    }
  }
}

void Fcfs::finish(std::size_t) {
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
}

ExchangePointer make_fcfs(const Grid& grid, std::span<double* const> arrays) {
  return std::make_unique<Fcfs>(grid, arrays);
}

}  // namespace solver3d
