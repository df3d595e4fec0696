#include "solver.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "matrix.hpp"

namespace cg {
namespace {

constexpr int steps = 25;

using Vector = std::vector<double>;

class Solver {
 public:
  Solver(const ProblemClass& problem, const Grid& grid)
      : grid_(grid),
        matrix_(problem, grid.row_range(), grid.column_range()),
        partial_(static_cast<std::size_t>(grid.row_range().size())),
        received_(partial_.size()),
        p_(static_cast<std::size_t>(grid.column_range().size())),
        q_(p_.size()),
        r_(p_.size()) {}

  /// Computes \p z with A z close to \p x; returns the norm of the difference. Collective.
  double conjugate_gradients(const Vector& x, Vector& z) {
    z.assign(z.size(), 0.0);
    r_ = x;
    p_ = x;
    double rho = dot(r_, r_);
    for (int step = 0; step < steps; ++step) {
      multiply(p_, q_);
      const double alpha = rho / dot(p_, q_);
      for (std::size_t i = 0; i < z.size(); ++i) {
        z[i] += alpha * p_[i];
        r_[i] -= alpha * q_[i];
      }
      const double before = rho;
      rho = dot(r_, r_);
      const double beta = rho / before;
      for (std::size_t i = 0; i < z.size(); ++i) {
        p_[i] = r_[i] + beta * p_[i];
      }
    }
    multiply(z, q_);
    for (std::size_t i = 0; i < z.size(); ++i) {
      r_[i] = x[i] - q_[i];
    }
    return std::sqrt(dot(r_, r_));
  }

  /// Collective.
  [[nodiscard]] double dot(const Vector& a, const Vector& b) const {
    return grid_.sum(std::inner_product(a.begin(), a.end(), b.begin(), 0.0));
  }

 private:
  void multiply(const Vector& x, Vector& y) {
    matrix_.multiply(x, partial_);
    grid_.sum_and_transpose(partial_, received_, y);
  }

  const Grid& grid_;
  Matrix matrix_;
  Vector partial_;
  Vector received_;
  Vector p_;
  Vector q_;
  Vector r_;
};

}  // namespace

Record solve(const ProblemClass& problem, MPI_Comm comm) {
  const Grid grid(comm, problem.order);
  Solver solver(problem, grid);
  Record record{.rows = grid.rows(), .columns = grid.columns()};
  Vector x(static_cast<std::size_t>(grid.column_range().size()), 1.0);
  Vector z(x.size());
  solver.conjugate_gradients(x, z);  // not timed: touches all memory for the first time
  MPI_Barrier(comm);
  const double begin = MPI_Wtime();
  for (int iteration = 0; iteration < problem.iterations; ++iteration) {
    record.residual = solver.conjugate_gradients(x, z);
    const double product = solver.dot(x, z);
    const double factor = 1.0 / std::sqrt(solver.dot(z, z));
    record.zeta = problem.shift + 1.0 / product;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = factor * z[i];
    }
  }
  record.seconds = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, &record.seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
  // Processes of different rows add in different orders, so the last bit may differ. The verdict must be the same on
  // all processes.
  MPI_Bcast(&record.zeta, 1, MPI_DOUBLE, 0, comm);
  MPI_Bcast(&record.residual, 1, MPI_DOUBLE, 0, comm);
  return record;
}

}  // namespace cg
