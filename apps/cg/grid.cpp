#include "grid.hpp"

#include <bit>
#include <string>

#include "common/program.hpp"

namespace cg {
namespace {

enum Tag { tag_sum, tag_transpose, tag_scalar };

}  // namespace

Grid::Grid(MPI_Comm comm, int order) : comm_(comm), order_(order) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank_);
  if (!std::has_single_bit(static_cast<unsigned>(ranks)) || ranks > order) {
    throw apps::UsageError("the number of ranks of cg must be a power of two up to " + std::to_string(order) +
                           ", not " + std::to_string(ranks));
  }
  const int dimension = std::bit_width(static_cast<unsigned>(ranks)) - 1;
  rows_ = 1 << (dimension / 2);
  columns_ = ranks / rows_;
  row_ = rank_ / columns_;
  column_ = rank_ % columns_;
  column_range_ = block(column_);
  const int blocks = columns_ / rows_;
  row_range_ = {block(row_ * blocks).begin, block(row_ * blocks + blocks - 1).end};
}

Range Grid::block(int column) const noexcept {
  const auto cut = [this](long long at) { return static_cast<int>(at * order_ / columns_); };
  return {cut(column), cut(column + 1)};
}

void Grid::sum_and_transpose(std::vector<double>& values, std::vector<double>& other,
                             std::vector<double>& result) const {
  const int count = row_range_.size();
  for (int distance = 1; distance < columns_; distance *= 2) {
    const int partner = rank_of(row_, column_ ^ distance);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(other.data(), count, MPI_DOUBLE, partner, tag_sum, comm_, &request);
    MPI_Send(values.data(), count, MPI_DOUBLE, partner, tag_sum, comm_);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] += other[i];
    }
  }
  // With equal numbers of columns and rows, the partner is the transposed process. With twice as many columns, the
  // block of a column is half of the block of a row; the relation between partners is symmetric.
  const int blocks = columns_ / rows_;
  const int partner = rank_of(column_ / blocks, row_ * blocks + column_ % blocks);
  const Range wanted = block(row_ * blocks + column_ % blocks);
  const double* const sent = values.data() + (wanted.begin - row_range_.begin);
  if (partner == rank_) {
    result.assign(sent, sent + wanted.size());
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(result.data(), column_range_.size(), MPI_DOUBLE, partner, tag_transpose, comm_, &request);
  MPI_Send(sent, wanted.size(), MPI_DOUBLE, partner, tag_transpose, comm_);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

double Grid::sum(double value) const {
  for (int distance = 1; distance < columns_; distance *= 2) {
    const int partner = rank_of(row_, column_ ^ distance);
    double other = 0.0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&other, 1, MPI_DOUBLE, partner, tag_scalar, comm_, &request);
    MPI_Send(&value, 1, MPI_DOUBLE, partner, tag_scalar, comm_);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    value += other;  // both partners add the same two numbers, so the results are bitwise identical
  }
  return value;
}

}  // namespace cg
