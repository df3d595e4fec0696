/// \file matrix.hpp
/// The benchmark's matrix: a sum of outer products of random sparse vectors with geometrically decreasing weights from
/// 1 to 0.1, plus 0.1 minus the shift on the diagonal (NAS report RNR-94-007, section 2.7.3).
#pragma once

#include <span>
#include <vector>

#include "grid.hpp"
#include "problem.hpp"

namespace cg {

/// One block of the matrix, stored by rows.
class Matrix {
 public:
  /// Local: every process generates the whole sequence of random numbers.
  Matrix(const ProblemClass& problem, Range rows, Range columns);

  /// \p y = block times \p x. The vectors have the sizes of the ranges.
  void multiply(std::span<const double> x, std::span<double> y) const;

  [[nodiscard]] std::size_t stored() const noexcept { return values_.size(); }

 private:
  std::vector<std::size_t> row_begin_;
  std::vector<int> columns_;
  std::vector<double> values_;
};

}  // namespace cg
