// ranks: 1 2 3 5
// large: 16
// The clock that ranks share, found by messages: whatever their own clocks show, corrected ones agree about a moment
// that all of them know, the end of a barrier, to within what the messages may be off.
#include "mpi/clock.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "mpi/check.hpp"
#include "mpi/context.hpp"
#include "support/random.hpp"
#include "support/suite.hpp"

namespace adcl::test {
namespace {

constexpr int barriers = 200;

/// The least, over some barriers, of how far the ranks are apart when they leave one.
double least_distance_s(MPI_Comm comm, const std::function<double()>& clock_s) {
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

/// Generous, for machines with fewer cores than ranks; the clocks that are corrected are off by seconds.
constexpr double close_s = 2e-3;

void clocks_that_are_off(Suite& suite, MPI_Comm comm, int rank, std::uint64_t seed) {
  Random random(seed + static_cast<std::uint64_t>(rank));
  const double off_s = static_cast<double>(random.between(-500, 500)) / 7.0;
  const double node_s = mpi::node_clock_offset_s();
  const auto own_s = [&] { return MPI_Wtime() + node_s + off_s; };
  const double offset_s = mpi::clock_offset_s(comm, 17, own_s);
  if (rank == 0) {
    suite.expect(offset_s == 0.0, text("rank 0 has the clock of rank 0, corrected by ", offset_s));
  }
  const double distance_s = least_distance_s(comm, [&] { return own_s() + offset_s; });
  suite.expect(distance_s >= 0.0 && distance_s < close_s,
               text("after a barrier, corrected clocks are ", distance_s, " s apart"));
}

void clocks_of_a_context(Suite& suite, MPI_Comm comm) {
  const auto context = mpi::Context::of(comm);
  context->machine();
  const double distance_s = least_distance_s(context->comm(), [&] { return MPI_Wtime() + context->clock_offset_s(); });
  suite.expect(distance_s >= 0.0 && distance_s < close_s,
               text("after a barrier, clocks of a context are ", distance_s, " s apart"));
}

void one_communicator(Suite& suite, std::uint64_t seed) {
  MPI_Comm reversed = MPI_COMM_NULL;
  mpi::check(MPI_Comm_split(MPI_COMM_WORLD, 0, -suite.rank(), &reversed), "MPI_Comm_split");
  suite.step("clocks that are off");
  clocks_that_are_off(suite, MPI_COMM_WORLD, suite.rank(), seed);
  suite.step("clocks of a context");
  clocks_of_a_context(suite, reversed);
  mpi::check(MPI_Comm_free(&reversed), "MPI_Comm_free");
}

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) {
  return adcl::test::run_suite(argc, argv, [](adcl::test::Suite& suite) {
    suite.repeat("clocks", 0.5, [&](std::uint64_t seed) { adcl::test::one_communicator(suite, seed); });
  });
}
