// ranks: 1 2 3 4
// Heat on a periodic plate: see examples/c/plate.c. Requests free themselves, and errors are exceptions.
#include <adcl.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

constexpr int side = 64;
constexpr int steps = 500;

// A block with one layer of halo cells.
class Block {
 public:
  Block() : u_(extent * extent, 0.0) {}

  double& at(int i, int j) { return u_[static_cast<std::size_t>(i) * extent + static_cast<std::size_t>(j)]; }
  [[nodiscard]] auto view() { return adcl::view(u_, side + 2, side + 2); }

  // Heats a quarter of the plate.
  void heat(const std::array<int, 2>& coords, const std::array<int, 2>& dims) {
    for (int i = 1; i <= side; ++i) {
      for (int j = 1; j <= side; ++j) {
        const int row = coords[0] * side + i;
        const int column = coords[1] * side + j;
        at(i, j) = 2 * row <= dims[0] * side && 2 * column <= dims[1] * side ? 100.0 : 0.0;
      }
    }
  }

  // Replaces each cell by the mean of its neighbors. Returns the largest change of a cell.
  double advance() {
    Block next;
    double change = 0.0;
    for (int i = 1; i <= side; ++i) {
      for (int j = 1; j <= side; ++j) {
        next.at(i, j) = (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1)) / 4;
        change = std::fmax(change, std::fabs(next.at(i, j) - at(i, j)));
      }
    }
    std::ranges::copy(next.u_, u_.begin());
    return change;
  }

  double sum() {
    double result = 0.0;
    for (int i = 1; i <= side; ++i) {
      for (int j = 1; j <= side; ++j) {
        result += at(i, j);
      }
    }
    return result;
  }

 private:
  static constexpr std::size_t extent = side + 2;
  std::vector<double> u_;
};

// Returns whether the plate keeps its heat.
bool simulate(MPI_Comm cart, const std::array<int, 2>& dims) {
  int ranks = 0;
  int rank = 0;
  std::array<int, 2> coords{};
  MPI_Comm_size(cart, &ranks);
  MPI_Comm_rank(cart, &rank);
  MPI_Cart_coords(cart, rank, 2, coords.data());
  Block block;
  block.heat(coords, dims);
  std::array<double, 2> sums{block.sum(), 0.0};

  // Describe the two operations once.
  std::array<double, 1> change{};
  std::array<double, 1> largest{};
  adcl::Request halo = adcl::halo(block.view(), cart);
  adcl::Request norm = adcl::allreduce(change, largest, MPI_MAX, cart);
  halo.set_name("plate");

  for (int step = 0; step < steps; ++step) {
    halo.start();  // fills the halo of the block
    change[0] = block.advance();
    norm.start();  // reads change, writes largest
  }

  sums[1] = block.sum();
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, cart);
  const bool lost = std::fabs(sums[1] - sums[0]) > 1e-9 * sums[0];
  if (rank == 0) {
    std::printf("%d steps on %d ranks: the last one changed a cell by %.17g%s\n", steps, ranks, largest[0],
                lost ? ", and heat was lost" : "");
  }
  return !lost;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  std::array<int, 2> dims{};
  const std::array<int, 2> periods{1, 1};
  MPI_Comm cart = MPI_COMM_NULL;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, dims.data());
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims.data(), periods.data(), 0, &cart);
  bool good = false;
  try {
    const adcl::Library library;  // ADCL_Init and ADCL_Finalize
    good = simulate(cart, dims);
  } catch (const adcl::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Comm_free(&cart);
  MPI_Finalize();
  return good ? 0 : 1;
}
