// A C++ program with the installed adcl.hpp: heat in a periodic square, whose sum does not change. The halo has two
// layers, so each exchange serves two steps.
#include <adcl.hpp>

#include <array>
#include <cmath>
#include <iostream>
#include <utility>
#include <vector>

namespace {

constexpr int n = 24;      // points per process and dimension
constexpr int layers = 2;  // of the halo
constexpr int width = n + 2 * layers;

struct Plate {
  explicit Plate(MPI_Comm cart)
      : values(width * width), halo(adcl::halo(grid(), cart, {.width = layers, .corners = true})) {}
  [[nodiscard]] adcl::View<double, 2> grid() { return adcl::view(values, width, width); }
  std::vector<double> values;
  adcl::Request halo;
};

void step(Plate& from, Plate& to, int margin) {
  const auto old = from.grid();
  const auto next = to.grid();
  for (int i = margin; i < width - margin; ++i) {
    for (int k = margin; k < width - margin; ++k) {
      next(i, k) = old(i, k) + 0.2 * (old(i - 1, k) + old(i + 1, k) + old(i, k - 1) + old(i, k + 1) - 4.0 * old(i, k));
    }
  }
}

/// The relative change of the sum.
double simulate(MPI_Comm cart, int rank) {
  Plate now(cart);
  Plate next(cart);
  now.grid()(layers + 3, layers + 5) = 1.0 + rank;
  std::array<double, 1> before{1.0 + rank};
  std::array<double, 1> after{};
  adcl::Request total = adcl::allreduce(adcl::in_place, before, MPI_SUM, cart);
  total.start();
  for (int pair = 0; pair < 50; ++pair) {
    now.halo.start();
    step(now, next, 1);
    step(next, now, 2);
  }
  for (int i = layers; i < layers + n; ++i) {
    for (int k = layers; k < layers + n; ++k) {
      after[0] += now.grid()(i, k);
    }
  }
  adcl::Request sum = adcl::allreduce(adcl::in_place, after, MPI_SUM, cart);
  sum.start();
  return std::abs(after[0] / before[0] - 1.0);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double change = 1.0;
  try {
    const adcl::Library library;
    std::array<int, 2> dims{};
    const std::array<int, 2> periodic{1, 1};
    int size = 0;
    int rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Dims_create(size, 2, dims.data());
    MPI_Comm cart = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims.data(), periodic.data(), 0, &cart);
    change = simulate(cart, rank);
    MPI_Comm_free(&cart);
  } catch (const adcl::Error& error) {
    std::cerr << error.what() << '\n';
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return change < 1e-12 ? 0 : 1;
}
