/// \file product.hpp
/// The solver's communication: matrix-vector products and scalar products, with their times.
#pragma once

#include <mpi.h>

#include <span>

#include "exchange.hpp"
#include "matrix.hpp"

namespace solver3d {

/// Arrays with a halo, which the matrix is multiplied by.
enum Array : std::size_t { solution_array = 0, odd_array = 1, even_array = 2, array_count = 3 };

/// A matrix as an iterative method uses it.
class Product {
 public:
  Product() = default;
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;
  virtual ~Product() = default;

  /// \p result (without halo) = matrix * array \p index. Collective.
  virtual void multiply(std::size_t index, double* result) = 0;
};

/// Exchanges the halo, then multiplies; with an overlapping exchange, both at the same time.
class HaloProduct final : public Product {
 public:
  HaloProduct(const Matrix& matrix, Exchange& exchange, std::span<double* const> arrays);

  void multiply(std::size_t index, double* result) override;

  [[nodiscard]] int exchanges() const { return exchanges_; }

  /// Seconds that this rank spent in exchanges.
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  const Matrix& matrix_;
  Exchange& exchange_;
  std::vector<double*> arrays_;
  int exchanges_ = 0;
  double seconds_ = 0.0;
};

/// Sums over all ranks.
class Reduction {
 public:
  /// \p exchange is optional; it may sum with its own requests.
  explicit Reduction(MPI_Comm comm, Exchange* exchange = nullptr) : comm_(comm), exchange_(exchange) {}

  /// Replaces at most largest_sum \p values with their sums over the ranks. Collective.
  void sum(std::span<double> values);

  /// Seconds that this rank spent in reductions.
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  MPI_Comm comm_;
  Exchange* exchange_;
  double seconds_ = 0.0;
};

}  // namespace solver3d
