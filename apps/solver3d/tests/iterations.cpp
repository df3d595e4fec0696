// ranks: 1 3
// Tests TFQMR on small dense matrices: it converges, its bound holds, and it detects breakdowns.
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <random>
#include <vector>

#include "common/test_verdict.hpp"
#include "tfqmr.hpp"

namespace solver3d::test {
using apps::TestVerdict;

namespace {

using Rows = std::vector<std::vector<double>>;

/// The matrix of each rank's unknowns: the whole matrix is block diagonal.
class Dense final : public Product {
 public:
  Dense(Rows rows, const Layout& layout, std::span<double* const> arrays)
      : rows_(std::move(rows)), layout_(layout), arrays_(arrays.begin(), arrays.end()) {}

  void multiply(std::size_t index, double* result) override {
    const double* const values = arrays_[index] + layout_.offset(0, 0, 0);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      result[row] = 0.0;
      for (std::size_t column = 0; column < rows_.size(); ++column) {
        result[row] += rows_[row][column] * values[column];
      }
    }
  }

 private:
  Rows rows_;
  Layout layout_;
  std::vector<double*> arrays_;
};

/// Solves with a matrix, starting from zero.
class Bench {
 public:
  Bench(const Rows& rows, std::vector<double> right_side)
      : layout_({1, 1, static_cast<int>(rows.size())}),
        storage_(array_count, std::vector<double>(layout_.size)),
        arrays_{storage_[0].data(), storage_[1].data(), storage_[2].data()},
        product_(rows, layout_, arrays_),
        right_side_(std::move(right_side)),
        solver_(layout_, arrays_, one_, product_, reduction_) {
    solver_.begin(right_side_);
  }

  Tfqmr& solver() { return solver_; }
  [[nodiscard]] const double* solution() const { return arrays_[0] + layout_.offset(0, 0, 0); }

  /// The norm of b - A x over all ranks.
  double residual() {
    std::vector<double> image(right_side_.size());
    product_.multiply(solution_array, image.data());
    double square = 0.0;
    for (std::size_t i = 0; i < image.size(); ++i) {
      square += (right_side_[i] - image[i]) * (right_side_[i] - image[i]);
    }
    reduction_.sum(std::span(&square, 1));
    return std::sqrt(square);
  }

 private:
  Layout layout_;
  std::vector<std::vector<double>> storage_;
  std::array<double*, array_count> arrays_;
  Dense product_;
  Reduction reduction_{MPI_COMM_WORLD};
  std::vector<double> right_side_;
  std::array<double, 1> one_{1.0};
  Tfqmr solver_;
};

void check_random_matrices(TestVerdict& verdict) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  unsigned seed = std::random_device{}();
  MPI_Bcast(&seed, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    std::cout << "seed " << seed << '\n' << std::flush;
  }
  std::mt19937 random(seed + static_cast<unsigned>(rank));
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  constexpr std::size_t size = 20;
  for (int trial = 0; trial < 5; ++trial) {
    Rows rows(size, std::vector<double>(size));
    std::vector<double> right_side(size);
    for (std::size_t row = 0; row < size; ++row) {
      std::generate(rows[row].begin(), rows[row].end(), [&] { return uniform(random); });
      rows[row][row] += 8.0;
      right_side[row] = uniform(random);
    }
    Bench bench(rows, right_side);
    const double start = bench.residual();
    int iterations = 0;
    for (; bench.solver().residual_bound() > 1e-9 * start && iterations < 100; ++iterations) {
      if (bench.solver().iterate() != Progress::advanced) {
        break;
      }
      verdict.expect(bench.residual() <= bench.solver().residual_bound() * (1.0 + 1e-6) + 1e-12 * start,
                     "the bound does not hold in iteration " + std::to_string(iterations));
    }
    verdict.expect(bench.residual() <= 1e-9 * start, "no convergence, trial " + std::to_string(trial));
    verdict.expect(iterations < 40, std::to_string(iterations) + " iterations, trial " + std::to_string(trial));
  }
}

void check_skew_matrix(TestVerdict& verdict) {
  Bench bench({{0.0, 1.0}, {-1.0, 0.0}}, {1.0, 2.0});
  verdict.expect(bench.solver().iterate() == Progress::broken_down, "sigma = 0 is not detected");
  verdict.expect(bench.solver().breakdown().find("sigma") != std::string_view::npos, "the reason is not sigma");
  verdict.expect(bench.solution()[0] == 0.0 && bench.solution()[1] == 0.0, "the solution changed");
}

void check_identity(TestVerdict& verdict) {
  Bench bench({{1.0, 0.0}, {0.0, 1.0}}, {3.0, -4.0});
  verdict.expect(bench.solver().iterate() == Progress::exact, "an exact solution is not detected");
  verdict.expect(bench.solution()[0] == 3.0 && bench.solution()[1] == -4.0, "the identity is not solved");
  verdict.expect(bench.solver().iterate() == Progress::exact, "continuing after an exact solution");
  verdict.expect(bench.solution()[0] == 3.0 && bench.solution()[1] == -4.0, "the exact solution changed");
}

void check_nothing_to_do(TestVerdict& verdict) {
  Bench bench({{1.0, 2.0}, {3.0, 4.0}}, {0.0, 0.0});
  verdict.expect(bench.solver().residual_bound() == 0.0, "the residual of zero is not zero");
  verdict.expect(bench.solver().iterate() == Progress::exact, "a zero right side is not detected");
}

void check_overflow(TestVerdict& verdict) {
  Bench bench({{1e200, 0.0}, {0.0, 1e200}}, {1e200, 1e200});
  verdict.expect(bench.solver().iterate() == Progress::broken_down, "an overflow is not detected");
  verdict.expect(std::isfinite(bench.solution()[0]), "the overflow reached the solution");
}

}  // namespace
}  // namespace solver3d::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  solver3d::test::TestVerdict verdict;
  solver3d::test::check_random_matrices(verdict);
  solver3d::test::check_skew_matrix(verdict);
  solver3d::test::check_identity(verdict);
  solver3d::test::check_nothing_to_do(verdict);
  solver3d::test::check_overflow(verdict);
  const int code = verdict.exit_code();
  MPI_Finalize();
  return code;
}
