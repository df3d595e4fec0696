// links: adcl_profile adcl_mpi
// Time that the profiler adds to a call of MPI, in nanoseconds: calls the same functions with and without the profiler
// (PMPI_) in alternating blocks, one process after the other. The figures are medians over the blocks of the
// difference, with the 95 % confidence interval of a median from order statistics, maximum over the ranks.
#include <mpi.h>

#include <array>
#include <string>
#include <vector>

#include "common/document.hpp"
#include "common/median.hpp"

namespace {

using bench::Interval;
using bench::median_of;

const int blocks = bench::effort(2001, 21);
constexpr int calls_per_block = 500;
constexpr int bytes = 8;

template <typename Function>
double seconds_per_call(Function function) {
  const double begin = MPI_Wtime();
  for (int i = 0; i < calls_per_block; ++i) {
    function();
  }
  return (MPI_Wtime() - begin) / calls_per_block;
}

template <typename With, typename Without>
Interval added_ns(With with, Without without) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<double> differences;
  for (int turn = 0; turn < ranks; ++turn) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (turn != rank) {
      continue;
    }
    for (int block = 0; block < blocks; ++block) {
      const double added = seconds_per_call(with);
      differences.push_back(1e9 * (added - seconds_per_call(without)));
    }
  }
  const Interval mine = median_of(std::move(differences));
  std::array<double, 3> worst{mine.median, mine.low, mine.high};
  MPI_Allreduce(MPI_IN_PLACE, worst.data(), 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return {worst[0], worst[1], worst[2]};
}

/// The minimum work of a call: it is timed and counted.
Interval call() {
  int done = 0;
  MPI_Request none = MPI_REQUEST_NULL;
  return added_ns([&] { MPI_Test(&none, &done, MPI_STATUS_IGNORE); },
                  [&] { PMPI_Test(&none, &done, MPI_STATUS_IGNORE); });
}

/// A message to the process itself: three calls and an entry in the histogram.
Interval message() {
  std::array<char, bytes> in{};
  std::array<char, bytes> out{};
  std::array<MPI_Request, 2> requests{};
  return added_ns(
      [&] {
        MPI_Irecv(in.data(), bytes, MPI_CHAR, 0, 0, MPI_COMM_SELF, &requests[0]);
        MPI_Isend(out.data(), bytes, MPI_CHAR, 0, 0, MPI_COMM_SELF, &requests[1]);
        MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
      },
      [&] {
        PMPI_Irecv(in.data(), bytes, MPI_CHAR, 0, 0, MPI_COMM_SELF, &requests[0]);
        PMPI_Isend(out.data(), bytes, MPI_CHAR, 0, 0, MPI_COMM_SELF, &requests[1]);
        PMPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
      });
}

}  // namespace

int main(int argc, char** argv) {
  if (!bench::names_a_file(argc, argv)) {
    return 2;
  }
  MPI_Init(&argc, &argv);
  const Interval one_call = call();
  const Interval one_message = message();
  const int code = bench::write_document(
      argv[1], {{"blocks", blocks}, {"calls_per_block", calls_per_block}},
      {bench::figure("profiler_call_added_ns", one_call), bench::figure("profiler_message_added_ns", one_message)});
  MPI_Finalize();
  return code;
}
