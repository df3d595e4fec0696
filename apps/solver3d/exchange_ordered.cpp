/// One neighbor after the other, dimension by dimension: a process sends and receives at most one message at a time.
#include "exchange_rows.hpp"
#include "faces.hpp"

namespace solver3d {
namespace {

class Ordered final : public Exchange {
 public:
  Ordered(const Grid& grid, std::span<double* const> arrays)
      : grid_(grid), types_(grid.layout()), arrays_(arrays.begin(), arrays.end()) {}

  void start(std::size_t index) override {
    double* const array = arrays_[index];
    for (int dimension = 0; dimension < 3; ++dimension) {
      for (const Side side : {low, high}) {
        const Side from = opposite(side);
        MPI_Sendrecv(array, 1, types_.sent(dimension, side), grid_.neighbor(dimension, side), tag_of(dimension, side),
                     array, 1, types_.received(dimension, from), grid_.neighbor(dimension, from),
                     tag_of(dimension, side), grid_.comm(), MPI_STATUS_IGNORE);
      }
    }
  }

  void finish(std::size_t) override {}

 private:
  const Grid& grid_;
  FaceTypes types_;
  std::vector<double*> arrays_;
};

}  // namespace

ExchangePointer make_ordered(const Grid& grid, std::span<double* const> arrays) {
  return std::make_unique<Ordered>(grid, arrays);
}

}  // namespace solver3d
