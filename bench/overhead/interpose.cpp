// links: adcl_interpose adcl_mpi
// Time that the interposer adds to a call, and time that it saves: calls the same functions with the interposer and
// without it (PMPI_) in alternating blocks, after the decision. allreduce_8b_added_ns: one double, which keeps the MPI
// library's call. Other figures: ratio of the call's time with the interposer to the time without it, whatever it
// decided. All are medians over the blocks, with the 95 % confidence interval of a median from order statistics.
#include <mpi.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/document.hpp"
#include "common/median.hpp"

namespace {

using bench::Interval;
using bench::median_of;

const int blocks = bench::effort(201, 11);
const int calls_to_decide = bench::effort(10000, 600);
constexpr int block_bytes = 65536;

template <typename Function>
double seconds_per_call(int calls, const Function& function) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < calls; ++i) {
    function();
  }
  double seconds = (MPI_Wtime() - begin) / calls;
  PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

/// Seconds per call with and without the interposer, for each block.
struct Times {
  std::vector<double> with;
  std::vector<double> without;
};

template <typename With, typename Without>
Times compare(int calls, const With& with, const Without& without) {
  for (int i = 0; i < calls_to_decide; ++i) {
    with();
  }
  Times times;
  for (int block = 0; block < blocks; ++block) {
    times.with.push_back(seconds_per_call(calls, with));
    times.without.push_back(seconds_per_call(calls, without));
  }
  return times;
}

Interval added_ns(const Times& times) {
  std::vector<double> added;
  for (std::size_t i = 0; i < times.with.size(); ++i) {
    added.push_back(1e9 * (times.with[i] - times.without[i]));
  }
  return median_of(std::move(added));
}

Interval ratio(const Times& times) { return median_of(bench::ratios(times.with, times.without)); }

Interval allreduce_8b() {
  double in = 1.0;
  double out = 0.0;
  return added_ns(compare(
      2500, [&] { MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); },
      [&] { PMPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }));
}

std::vector<char> memory() {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return std::vector<char>(static_cast<std::size_t>(ranks) * block_bytes, 1);
}

Interval alltoall_64k() {
  std::vector<char> in = memory();
  std::vector<char> out = memory();
  const auto with = [&] {
    MPI_Alltoall(in.data(), block_bytes, MPI_BYTE, out.data(), block_bytes, MPI_BYTE, MPI_COMM_WORLD);
  };
  const auto without = [&] {
    PMPI_Alltoall(in.data(), block_bytes, MPI_BYTE, out.data(), block_bytes, MPI_BYTE, MPI_COMM_WORLD);
  };
  return ratio(compare(50, with, without));
}

Interval allgather_64k() {
  const std::vector<char> in(block_bytes, 1);
  std::vector<char> out = memory();
  const auto with = [&] {
    MPI_Allgather(in.data(), block_bytes, MPI_BYTE, out.data(), block_bytes, MPI_BYTE, MPI_COMM_WORLD);
  };
  const auto without = [&] {
    PMPI_Allgather(in.data(), block_bytes, MPI_BYTE, out.data(), block_bytes, MPI_BYTE, MPI_COMM_WORLD);
  };
  return ratio(compare(50, with, without));
}

}  // namespace

int main(int argc, char** argv) {
  if (!bench::names_a_file(argc, argv)) {
    return 2;
  }
  setenv("ADCL_INTERPOSE_BUDGET", "1000", 1);  // decide within the calls before the first block
  MPI_Init(&argc, &argv);
  const Interval allreduce = allreduce_8b();
  const Interval alltoall = alltoall_64k();
  const Interval allgather = allgather_64k();
  const int code = bench::write_document(
      argv[1], {{"blocks", blocks}, {"calls_to_decide", calls_to_decide}},
      {bench::figure("allreduce_8b_added_ns", allreduce), bench::figure("alltoall_64k_time_over_plain", alltoall),
       bench::figure("allgather_64k_time_over_plain", allgather)});
  MPI_Finalize();
  return code;
}
