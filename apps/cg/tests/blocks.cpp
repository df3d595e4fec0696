// ranks: 1 2 3 4
// timeout: 60
// Blocks are parts of the whole matrix, the matrix is symmetric, and a wrong zeta is not verified. Each process
// independently tests the partition of grids of up to 16 processes.
#include <cmath>
#include <string>
#include <vector>

#include "common/test_verdict.hpp"
#include "matrix.hpp"

namespace {

using apps::TestVerdict;
using cg::Matrix;
using cg::ProblemClass;
using cg::Range;

constexpr ProblemClass small{'?', 97, 5, 1, 10.0, 0.0};

std::vector<double> pattern(int size, int salt) {
  std::vector<double> values(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) {
    values[static_cast<std::size_t>(i)] = std::sin(static_cast<double>(1 + i * (salt + 1)));
  }
  return values;
}

void check_blocks(TestVerdict& verdict) {
  const Range all{0, small.order};
  const Matrix whole(small, all, all);
  const std::vector<double> x = pattern(small.order, 1);
  std::vector<double> wanted(x.size());
  whole.multiply(x, wanted);
  for (const int parts : {2, 3, 4}) {
    std::vector<double> found(x.size(), 0.0);
    std::size_t stored = 0;
    for (int row = 0; row < parts; ++row) {
      const Range rows{row * small.order / parts, (row + 1) * small.order / parts};
      for (int column = 0; column < parts; ++column) {
        const Range columns{column * small.order / parts, (column + 1) * small.order / parts};
        const Matrix block(small, rows, columns);
        std::vector<double> y(static_cast<std::size_t>(rows.size()));
        block.multiply(
            std::span(x).subspan(static_cast<std::size_t>(columns.begin), static_cast<std::size_t>(columns.size())), y);
        for (int i = 0; i < rows.size(); ++i) {
          found[static_cast<std::size_t>(rows.begin + i)] += y[static_cast<std::size_t>(i)];
        }
        stored += block.stored();
      }
    }
    verdict.expect(stored == whole.stored(), std::to_string(parts) + " parts: the number of elements differs");
    for (std::size_t i = 0; i < found.size(); ++i) {
      verdict.expect(std::abs(found[i] - wanted[i]) < 1e-12,
                     std::to_string(parts) + " parts, row " + std::to_string(i));
    }
  }
}

void check_symmetry(TestVerdict& verdict) {
  const Range all{0, small.order};
  const Matrix matrix(small, all, all);
  const std::vector<double> x = pattern(small.order, 2);
  const std::vector<double> y = pattern(small.order, 3);
  std::vector<double> ax(x.size());
  std::vector<double> ay(x.size());
  matrix.multiply(x, ax);
  matrix.multiply(y, ay);
  double left = 0.0;
  double right = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    left += y[i] * ax[i];
    right += x[i] * ay[i];
  }
  verdict.expect(std::abs(left - right) < 1e-10, "the matrix is not symmetric");
}

/// After a sum, each process of a row and a column has the result of a sum over all of them.
void check_grid(TestVerdict& verdict) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks == 3) {
    return;  // a test of the command checks that three processes are rejected
  }
  const cg::Grid grid(MPI_COMM_WORLD, small.order);
  const Range rows = grid.row_range();
  const Range columns = grid.column_range();
  std::vector<double> values(static_cast<std::size_t>(rows.size()));
  std::vector<double> other(values.size());
  std::vector<double> result(static_cast<std::size_t>(columns.size()));
  for (int i = 0; i < rows.size(); ++i) {
    values[static_cast<std::size_t>(i)] = rows.begin + i;
  }
  grid.sum_and_transpose(values, other, result);
  for (int i = 0; i < columns.size(); ++i) {
    verdict.expect(result[static_cast<std::size_t>(i)] == static_cast<double>(grid.columns() * (columns.begin + i)),
                   "element " + std::to_string(columns.begin + i) + " of a sum");
  }
  verdict.expect(grid.sum(columns.size()) == small.order, "the blocks of a row of processes are not the whole vector");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  TestVerdict verdict;
  check_blocks(verdict);
  check_symmetry(verdict);
  check_grid(verdict);
  const ProblemClass& problem = cg::classes[0];
  verdict.expect(cg::verified(problem, problem.zeta), "the right zeta");
  verdict.expect(!cg::verified(problem, problem.zeta * (1.0 + 1e-9)), "a zeta that is wrong in the ninth digit");
  verdict.expect(!cg::verified(problem, std::nan("")), "not a number");
  const int code = verdict.exit_code();
  MPI_Finalize();
  return code;
}
