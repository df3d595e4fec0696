// ranks: 1 2 3 4
// large: 8
// Every exchange repeatedly fills the halo next to other processes with their values, and changes nothing else.
#include <array>
#include <cstdint>
#include <vector>

#include "common/test_verdict.hpp"
#include "exchange.hpp"

namespace solver3d::test {
using apps::TestVerdict;

namespace {

constexpr int array_count = 3;
constexpr int fewest_rounds = 4;
constexpr int most_rounds = 400;
constexpr int most_rounds_with_sums = 4000;  // one timer searches the combinations of both requests' codelets
constexpr double untouched = -1.0;

/// A different value for each grid point, array and round.
double value_of(const Grid& grid, const Extents& point, int array, int round) {
  double id = 0.0;
  for (std::size_t d = 0; d < 3; ++d) {
    id = id * (grid.points()[d] + 2) + (grid.first(static_cast<int>(d)) + point[d] + 1);
  }
  return id + 0.25 * array + 1e7 * round;
}

/// The expected value at a point of the padded array after an exchange.
double expected(const Grid& grid, const Extents& point, int array, int round) {
  int outside = 0;
  bool received = true;
  for (std::size_t d = 0; d < 3; ++d) {
    if (point[d] < 0 || point[d] == grid.layout().block[d]) {
      ++outside;
      received = grid.neighbor(static_cast<int>(d), point[d] < 0 ? low : high) != MPI_PROC_NULL;
    }
  }
  return outside == 0 || (outside == 1 && received) ? value_of(grid, point, array, round) : untouched;
}

template <typename Visit>
void for_padded(const Layout& layout, const Visit& visit) {
  for (int i = -1; i <= layout.block[0]; ++i) {
    for (int j = -1; j <= layout.block[1]; ++j) {
      for (int k = -1; k <= layout.block[2]; ++k) {
        visit(Extents{i, j, k}, layout.offset(i, j, k));
      }
    }
  }
}

void fill(const Grid& grid, int array, int round, double* values) {
  for_padded(grid.layout(), [&](const Extents& point, std::size_t offset) {
    bool inside = true;
    for (std::size_t d = 0; d < 3; ++d) {
      inside = inside && point[d] >= 0 && point[d] < grid.layout().block[d];
    }
    values[offset] = inside ? value_of(grid, point, array, round) : untouched;
  });
}

int count_wrong(const Grid& grid, int array, int round, const double* values) {
  int wrong = 0;
  for_padded(grid.layout(), [&](const Extents& point, std::size_t offset) {
    wrong += values[offset] == expected(grid, point, array, round) ? 0 : 1;
  });
  return wrong;
}

void check(const std::string& name, MakeExchange make, int most, const Extents& block, TestVerdict& verdict) {
  const Grid grid(MPI_COMM_WORLD, block);
  std::vector<std::vector<double>> storage(array_count, std::vector<double>(grid.layout().size));
  const std::array<double*, array_count> arrays{storage[0].data(), storage[1].data(), storage[2].data()};
  const ExchangePointer exchange = make(grid, arrays);
  bool searching = exchange->tuning() != nullptr;
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int round = 0;
  for (; round < fewest_rounds || (searching && round < most); ++round) {
    for (int a = 0; a < array_count; ++a) {
      const auto index = static_cast<std::size_t>(a);
      fill(grid, a, round, arrays[index]);
      exchange->start(index);
      exchange->finish(index);
      const int wrong = count_wrong(grid, a, round, arrays[index]);
      verdict.expect(wrong == 0, name + ": " + std::to_string(wrong) + " wrong values in array " + std::to_string(a) +
                                     ", round " + std::to_string(round) + ", block " + std::to_string(block[0]) + "x" +
                                     std::to_string(block[1]) + "x" + std::to_string(block[2]));
    }
    std::array<double, 2> sums{1.0, static_cast<double>(round)};
    if (exchange->sum(sums)) {
      verdict.expect(sums == std::array<double, 2>{1.0 * ranks, 1.0 * ranks * round}, name + ": wrong sums");
    }
    searching = searching && !exchange->tuning()->production;
  }
  verdict.expect(!searching, name + ": still searching after " + std::to_string(round) + " rounds");
}

}  // namespace
}  // namespace solver3d::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  solver3d::test::TestVerdict verdict;
  for (const solver3d::Extents& block : {solver3d::Extents{1, 1, 1}, {2, 3, 4}, {5, 4, 3}}) {
    for (const solver3d::Method& method : solver3d::methods()) {
      if (method.sums && block[0] > 1) {
        continue;  // a timer of two sets has a long search: test one block only
      }
      const int most = method.sums ? solver3d::test::most_rounds_with_sums : solver3d::test::most_rounds;
      solver3d::test::check(std::string(method.name), method.make, most, block, verdict);
      if (method.make_overlapping != nullptr) {
        solver3d::test::check(std::string(method.name) + " --overlap", method.make_overlapping, most, block, verdict);
      }
    }
  }
  const int code = verdict.exit_code();
  MPI_Finalize();
  return code;
}
