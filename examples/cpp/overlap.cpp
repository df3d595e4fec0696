// ranks: 1 2 3 4
// Overlap of communication and computation: a heat equation on a ring of rods. ADCL_Request_init starts the halo
// exchange, the program advances the interior, ADCL_Request_wait completes the exchange, and the two outer points
// follow.
#include <ADCL.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace {

constexpr int points = 2000;  // per process
constexpr int steps = 400;
constexpr double pi = 3.14159265358979323846;

void check(int code, const char* call) {
  if (code != ADCL_SUCCESS) {
    std::fprintf(stderr, "%s: %s (%s)\n", call, ADCL_Error_string(code), ADCL_Last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

// One rod with a halo point on each side, and the exchange of these points.
struct Rod {
  explicit Rod(MPI_Comm ring) : values(points + 2, 0.0) {
    const int dims = points + 2;
    check(ADCL_Halo_init(ADCL_HALO(values.data(), 1, &dims, 0, 1, MPI_DOUBLE), ring, &exchange), "ADCL_Halo_init");
  }
  std::vector<double> values;
  ADCL_Request exchange = ADCL_REQUEST_NULL;
};

void advance(const Rod& old, Rod& next, int from, int to, double mobility) {
  for (int i = from; i <= to; ++i) {
    const auto k = static_cast<std::size_t>(i);
    next.values[k] = old.values[k] + mobility * (old.values[k - 1] - 2.0 * old.values[k] + old.values[k + 1]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  check(ADCL_Init(), "ADCL_Init");
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int periodic = 1;
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  int rank = 0;
  MPI_Comm_rank(ring, &rank);

  // Both rods share one search, because their requests differ only in the vector.
  Rod old(ring);
  Rod next(ring);
  const double mobility = 0.25;
  const double wave = 2.0 * pi / (points * size);
  for (int i = 1; i <= points; ++i) {
    old.values[static_cast<std::size_t>(i)] = std::sin(wave * (rank * points + i));
  }
  for (int step = 0; step < steps; ++step) {
    check(ADCL_Request_init(old.exchange), "ADCL_Request_init");
    advance(old, next, 2, points - 1, mobility);
    check(ADCL_Request_wait(old.exchange), "ADCL_Request_wait");
    advance(old, next, 1, 1, mobility);
    advance(old, next, points, points, mobility);
    std::swap(old.values, next.values);
    std::swap(old.exchange, next.exchange);
  }

  // A sine wave keeps its shape; each step multiplies it by the same factor.
  const double factor = std::pow(1.0 - 2.0 * mobility * (1.0 - std::cos(wave)), steps);
  double error = 0.0;
  for (int i = 1; i <= points; ++i) {
    const double exact = factor * std::sin(wave * (rank * points + i));
    error = std::fmax(error, std::fabs(old.values[static_cast<std::size_t>(i)] - exact));
  }
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, ring);
  char winner[ADCL_MAX_NAME];
  check(ADCL_Request_get_winner(old.exchange, winner, sizeof winner), "ADCL_Request_get_winner");
  if (rank == 0) {
    std::printf("%d steps on %d ranks, largest error %.2e, winner: %s\n", steps, size, error, winner);
  }
  check(ADCL_Request_free(&old.exchange), "ADCL_Request_free");
  check(ADCL_Request_free(&next.exchange), "ADCL_Request_free");
  check(ADCL_Finalize(), "ADCL_Finalize");
  MPI_Comm_free(&ring);
  MPI_Finalize();
  return error < 1e-10 ? EXIT_SUCCESS : EXIT_FAILURE;
}
