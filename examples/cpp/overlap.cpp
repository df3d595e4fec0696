// ranks: 1 2 3 4
// Overlap of communication and computation with adcl.hpp: a heat equation on a ring of rods. Request::init starts the
// halo exchange, the program advances the interior, Request::wait completes the exchange, and the two outer points
// follow.
#include <adcl.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace {

constexpr int points = 2000;  // per process
constexpr int steps = 400;
constexpr double pi = 3.14159265358979323846;

// One rod with a halo point on each side, and the exchange of these points.
struct Rod {
  explicit Rod(MPI_Comm ring) : values(points + 2, 0.0), exchange(adcl::halo(values, ring)) {}
  std::vector<double> values;
  adcl::Request exchange;
};

void advance(const Rod& old, Rod& next, int from, int to, double mobility) {
  for (int i = from; i <= to; ++i) {
    const auto k = static_cast<std::size_t>(i);
    next.values[k] = old.values[k] + mobility * (old.values[k - 1] - 2.0 * old.values[k] + old.values[k + 1]);
  }
}

// Runs the simulation; returns the largest error of all processes.
double simulate(MPI_Comm ring, int rank, int size) {
  // Both rods share one search, because their requests differ only in the array.
  Rod old(ring);
  Rod next(ring);
  const double mobility = 0.25;
  const double wave = 2.0 * pi / (points * size);
  for (int i = 1; i <= points; ++i) {
    old.values[static_cast<std::size_t>(i)] = std::sin(wave * (rank * points + i));
  }
  for (int step = 0; step < steps; ++step) {
    old.exchange.init();
    advance(old, next, 2, points - 1, mobility);
    old.exchange.wait();
    advance(old, next, 1, 1, mobility);
    advance(old, next, points, points, mobility);
    std::swap(old, next);
  }

  // A sine wave keeps its shape; each step multiplies it by the same factor.
  const double factor = std::pow(1.0 - 2.0 * mobility * (1.0 - std::cos(wave)), steps);
  double error = 0.0;
  for (int i = 1; i <= points; ++i) {
    const double exact = factor * std::sin(wave * (rank * points + i));
    error = std::fmax(error, std::fabs(old.values[static_cast<std::size_t>(i)] - exact));
  }
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, ring);
  if (rank == 0) {
    std::printf("%d steps on %d ranks, largest error %.2e, winner: %s\n", steps, size, error,
                old.exchange.winner().c_str());
  }
  return error;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int periodic = 1;
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  int rank = 0;
  MPI_Comm_rank(ring, &rank);
  double error = 0.0;
  try {
    const adcl::Library library;
    error = simulate(ring, rank, size);
  } catch (const adcl::Error& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Comm_free(&ring);
  MPI_Finalize();
  return error < 1e-10 ? EXIT_SUCCESS : EXIT_FAILURE;
}
