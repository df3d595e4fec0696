#include "product.hpp"

namespace solver3d {

HaloProduct::HaloProduct(const Matrix& matrix, Exchange& exchange, std::span<double* const> arrays)
    : matrix_(matrix), exchange_(exchange), arrays_(arrays.begin(), arrays.end()) {}

void HaloProduct::multiply(std::size_t index, double* result) {
  const double* const values = arrays_[index];
  const double begun = MPI_Wtime();
  exchange_.start(index);
  if (exchange_.overlaps()) {
    const double started = MPI_Wtime();
    matrix_.apply_inside(values, result);
    const double waited = MPI_Wtime();
    exchange_.finish(index);
    seconds_ += (started - begun) + (MPI_Wtime() - waited);
    matrix_.apply_outside(values, result);
  } else {
    exchange_.finish(index);
    seconds_ += MPI_Wtime() - begun;
    matrix_.apply(values, result);
  }
  ++exchanges_;
}

void Reduction::sum(std::span<double> values) {
  const double begun = MPI_Wtime();
  if (exchange_ == nullptr || !exchange_->sum(values)) {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM, comm_);
  }
  seconds_ += MPI_Wtime() - begun;
}

}  // namespace solver3d
