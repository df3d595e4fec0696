/// One neighborhood collective of the MPI library.
#include "exchange_rows.hpp"
#include "faces.hpp"

namespace solver3d {
namespace {

class Neighbor final : public Exchange {
 public:
  Neighbor(const Grid& grid, std::span<double* const> arrays)
      : grid_(grid), types_(grid.layout()), arrays_(arrays.begin(), arrays.end()) {
    // MPI defines this order for Cartesian communicators: low and high neighbor, dimension by dimension.
    for (int dimension = 0; dimension < 3; ++dimension) {
      for (const Side side : {low, high}) {
        const auto i = 2 * static_cast<std::size_t>(dimension) + side;
        counts_[i] = grid.neighbor(dimension, side) == MPI_PROC_NULL ? 0 : 1;
        sent_[i] = types_.sent(dimension, side);
        received_[i] = types_.received(dimension, side);
      }
    }
  }

  void start(std::size_t index) override {
    MPI_Neighbor_alltoallw(arrays_[index], counts_.data(), offsets_.data(), sent_.data(), arrays_[index],
                           counts_.data(), offsets_.data(), received_.data(), grid_.comm());
  }

  void finish(std::size_t) override {}

 private:
  const Grid& grid_;
  FaceTypes types_;
  std::vector<double*> arrays_;
  std::array<int, 6> counts_{};
  std::array<MPI_Aint, 6> offsets_{};
  std::array<MPI_Datatype, 6> sent_{};
  std::array<MPI_Datatype, 6> received_{};
};

}  // namespace

ExchangePointer make_neighbor(const Grid& grid, std::span<double* const> arrays) {
  return std::make_unique<Neighbor>(grid, arrays);
}

}  // namespace solver3d
