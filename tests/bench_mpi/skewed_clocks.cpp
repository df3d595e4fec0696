// Synchronizes clocks with a known skew over MPI messages.
#include <mpi.h>

#include <chrono>
#include <cmath>
#include <cstdio>

#include "measure.hpp"

namespace {

double true_time_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The host's clock, which all ranks share here, with an offset and a drift that depend on the rank.
class SkewedPeers final : public adcl::bench::Peers {
 public:
  SkewedPeers(MPI_Comm comm, int rank) : messages_(comm), rank_(rank), begin_s_(true_time_s()) {}
  double now() override { return skewed(true_time_s()); }
  void send(int rank, double seconds) override { messages_.send(rank, seconds); }
  double receive(int rank) override { return messages_.receive(rank); }
  void pause(double seconds) override { messages_.pause(seconds); }
  [[nodiscard]] double skewed(double true_s) const {
    return true_s + 1000.0 * rank_ + 1e-3 * rank_ * (true_s - begin_s_);
  }

 private:
  adcl::bench::MpiPeers messages_;
  int rank_;
  double begin_s_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  SkewedPeers peers(MPI_COMM_WORLD, rank);
  const auto model = adcl::bench::synchronise(peers, rank, size, {});
  const double true_s = true_time_s();
  const double error_s = std::abs(model.reference(peers.skewed(true_s)) - true_s);
  // Ranks that share a core answer each other some milliseconds late; the initial offset is 1000 s per rank.
  constexpr double allowed_s = 0.05;
  int wrong = error_s < allowed_s ? 0 : 1;
  if (wrong != 0) {
    std::fprintf(stderr, "rank %d: the clock is %g s wrong\n", rank, error_s);
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return wrong;
}
