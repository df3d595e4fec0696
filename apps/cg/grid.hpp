/// \file grid.hpp
/// The process grid and its messages.
///
/// Process (row, column) has one block of the matrix. Vectors are divided into one block per column; all processes of a
/// column have the same block. The number of columns is equal to the number of rows, or twice as large.
#pragma once

#include <mpi.h>

#include <vector>

namespace cg {

struct Range {
  int begin = 0;
  int end = 0;
  [[nodiscard]] int size() const noexcept { return end - begin; }
};

class Grid {
 public:
  /// Collective. Throws apps::UsageError unless the number of processes is a power of two and at most the order.
  Grid(MPI_Comm comm, int order);

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int rows() const noexcept { return rows_; }
  [[nodiscard]] int columns() const noexcept { return columns_; }
  /// Matrix rows of this process.
  [[nodiscard]] Range row_range() const noexcept { return row_range_; }
  /// Matrix columns of this process, which are also its range of vectors.
  [[nodiscard]] Range column_range() const noexcept { return column_range_; }

  /// Sums \p values, which belong to the rows, over the processes of a row. \p other is work memory of the same size.
  /// \p result is the block of the sum that belongs to the columns. Collective.
  void sum_and_transpose(std::vector<double>& values, std::vector<double>& other, std::vector<double>& result) const;

  /// Sum over the processes of a row, bitwise identical on all of them. Collective.
  [[nodiscard]] double sum(double value) const;

 private:
  [[nodiscard]] Range block(int column) const noexcept;
  [[nodiscard]] int rank_of(int row, int column) const noexcept { return row * columns_ + column; }

  MPI_Comm comm_;
  int order_;
  int rank_ = 0;
  int rows_ = 1;
  int columns_ = 1;
  int row_ = 0;
  int column_ = 0;
  Range row_range_;
  Range column_range_;
};

}  // namespace cg
