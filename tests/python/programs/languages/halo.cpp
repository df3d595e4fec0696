// Exchanges the halo of a block in Fortran order: see halo.c.
#include <adcl.hpp>
#include <array>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr std::size_t nx = 24;
constexpr std::size_t ny = 40;
constexpr int steps = 400;

using Block = adcl::View<double, 2>;

Block block_of(std::vector<double>& values) { return {values.data(), {nx + 2, ny + 2}, {1, nx + 2}}; }

void advance(const Block& u) {
  std::vector<double> memory((nx + 2) * (ny + 2));
  const Block next = block_of(memory);
  for (std::size_t j = 1; j <= ny; ++j) {
    for (std::size_t i = 1; i <= nx; ++i) {
      next(i, j) = (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1)) / 3;
    }
  }
  for (std::size_t j = 1; j <= ny; ++j) {
    for (std::size_t i = 1; i <= nx; ++i) {
      u(i, j) = next(i, j);
    }
  }
}

void exchange(MPI_Comm cart, const std::string& prefix) {
  int rank = 0;
  MPI_Comm_rank(cart, &rank);
  std::vector<double> values((nx + 2) * (ny + 2));
  const Block u = block_of(values);
  for (std::size_t j = 1; j <= ny; ++j) {
    for (std::size_t i = 1; i <= nx; ++i) {
      u(i, j) = 1.0 / static_cast<double>(1 + i + j * nx + static_cast<std::size_t>(rank) * nx * ny);
    }
  }
  adcl::Request halo = adcl::halo(u, cart);
  std::string first;
  for (int step = 0; step < steps; ++step) {
    halo.start();
    if (step == 0) {
      first = halo.current();
    }
    advance(u);
  }
  if (rank == 0) {
    std::printf("began with %s decided for %s\n", first.c_str(), halo.winner().c_str());
  }
  std::ofstream file(prefix + "." + std::to_string(rank), std::ios::binary);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(double)));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  std::array<int, 2> dims{};
  const std::array<int, 2> periods{1, 0};
  MPI_Comm cart = MPI_COMM_NULL;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, dims.data());
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims.data(), periods.data(), 0, &cart);
  try {
    const adcl::Library library;
    exchange(cart, argv[1]);
  } catch (const adcl::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Comm_free(&cart);
  MPI_Finalize();
  return 0;
}
