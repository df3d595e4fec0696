// ranks: 1 2 3
// large: 5 16
// The clock that the ranks of a node share: all ranks read about the same time at the end of a barrier.
#include "mpi/clock.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/error.hpp"
#include "mpi/check.hpp"
#include "support/suite.hpp"

namespace adcl::test {
namespace {

constexpr int barriers = 200;

/// Generous, for machines with fewer cores than ranks.
constexpr double close_s = 2e-3;

/// Delay between consecutive processes before MPI_Init, where MPI_Wtime of some libraries begins at 0.
constexpr int apart_ms = 20;

double clock_s() { return MPI_Wtime() + mpi::node_clock_offset_s(); }

/// The minimum over several barriers of the difference between the ranks' times at the exit.
double least_distance_s(MPI_Comm comm) {
  double least_s = 1e9;
  for (int i = 0; i < barriers; ++i) {
    mpi::check(MPI_Barrier(comm), "MPI_Barrier");
    const double left_s = clock_s();
    double ends[2] = {left_s, -left_s};
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_DOUBLE, MPI_MAX, comm), "MPI_Allreduce");
    least_s = std::min(least_s, ends[0] + ends[1]);
  }
  return least_s;
}

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) {
  std::this_thread::sleep_for(std::chrono::milliseconds(getpid() % 8 * adcl::test::apart_ms));
  return adcl::test::run_suite(argc, argv, [](adcl::test::Suite& suite) {
    suite.step("the end of a barrier");
    const double distance_s = adcl::test::least_distance_s(MPI_COMM_WORLD);
    suite.expect(distance_s >= 0.0 && distance_s < adcl::test::close_s,
                 adcl::text("after a barrier, clocks are ", distance_s, " s apart"));
  });
}
