/// \file tfqmr.hpp
/// The transpose-free quasi-minimal residual method: R. W. Freund, A transpose-free quasi-minimal residual algorithm
/// for non-Hermitian linear systems, SIAM J. Sci. Comput. 14 (1993), Algorithm 5.1, with the Jacobi preconditioner
/// applied from the right, so that residuals belong to the given system.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "grid.hpp"
#include "product.hpp"

namespace solver3d {

/// Result of an iteration.
enum class Progress {
  advanced,
  exact,        ///< the residual is zero: no further iteration is possible or necessary
  broken_down,  ///< a divisor of the method is zero, or a number overflowed
};

/// Solves A x = b. An iteration corresponds to an iteration of Freund's algorithm: two matrix-vector products and two
/// updates of the solution. Its scalar products are combined in two reductions.
class Tfqmr {
 public:
  /// \p arrays: the solution and two work arrays (enum Array), with halo. \p inverse_diagonal: one value per line along
  /// z. All arguments must outlive the solver.
  Tfqmr(const Layout& layout, std::span<double* const> arrays, std::span<const double> inverse_diagonal,
        Product& product, Reduction& reduction);

  /// Starts from the contents of the solution array. Collective.
  void begin(std::span<const double> right_side);

  /// Collective; the result is the same on all ranks. After any result other than `advanced`, call begin() next; the
  /// solution is a valid start.
  Progress iterate();

  /// Reason for the breakdown of the last iteration.
  [[nodiscard]] std::string_view breakdown() const { return breakdown_; }

  /// A bound on the Euclidean norm of b - A x, from the recurrences; exact directly after begin().
  [[nodiscard]] double residual_bound() const;

  /// Norm of the right side of begin().
  [[nodiscard]] double right_side_norm() const { return right_side_norm_; }

 private:
  /// The quasi-minimization of one half step: the solution changes by `step` times (y + `scale` d).
  struct HalfStep {
    double scale;
    double step;
  };

  Progress fail(std::string_view reason);
  HalfStep minimize(double alpha, double residual_square);
  void make_search_direction(std::span<double> sums);
  double make_even_direction(double alpha);
  void reduce_residual(double alpha, std::span<double> sums);
  void update_solution(HalfStep odd, HalfStep even, double beta);

  Layout layout_;
  double* solution_;
  double* odd_;   ///< the preconditioned y of the odd half steps
  double* even_;  ///< the preconditioned y of the even half steps
  std::span<const double> inverse_diagonal_;
  Product& product_;
  Reduction& reduction_;

  std::vector<double> residual_;   ///< w
  std::vector<double> shadow_;     ///< the residual at the beginning
  std::vector<double> search_;     ///< v
  std::vector<double> odd_image_;  ///< A times odd
  std::vector<double> even_image_;
  std::vector<double> direction_;  ///< d, preconditioned

  double rho_ = 0.0;  ///< shadow . w
  double beta_ = 0.0;
  double tau_ = 0.0;
  double theta_ = 0.0;
  double eta_ = 0.0;
  double shadow_norm_ = 0.0;
  double right_side_norm_ = 0.0;
  int half_steps_ = 0;
  std::string_view breakdown_;
};

}  // namespace solver3d
