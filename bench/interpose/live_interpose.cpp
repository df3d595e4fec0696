// links: adcl_interpose adcl_mpi
// live_interpose PART FILE: time that the interposer adds to calls, and time that it saves. The program calls the same
// functions with the interposer and without it (PMPI_) in alternating blocks. All figures are medians over the blocks,
// with the 95 % confidence interval of a median from order statistics.
//   decided    after the decision. allreduce_8b_added_ns: one double, which keeps the MPI library's call, 10^6 calls.
//              The other figures are ratios of the call's time with the interposer to the time without it, whatever it
//              decided.
//   blocks     the same for calls whose block sizes may differ between ranks, on communicators of their own.
//   first      the first 1000 calls on a communicator, and its release; both sides of a block get a new communicator.
//   undecided  calls with 8 sizes in random order on a new communicator, for too short a time to decide.
#include <mpi.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "common/document.hpp"
#include "common/median.hpp"

namespace {

using bench::Interval;
using bench::Json;
using bench::median_of;

constexpr int block_bytes = 65536;

/// A call on a communicator, with the interposer and without it.
struct Pair {
  std::function<void(MPI_Comm)> with;
  std::function<void(MPI_Comm)> without;
};

/// Seconds of both sides, for each block.
struct Times {
  std::vector<double> with;
  std::vector<double> without;
};

/// Seconds of \p run on the slowest rank. Collective.
template <typename Run>
double seconds_of(const Run& run) {
  PMPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  run();
  double seconds = MPI_Wtime() - begin;
  PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

std::vector<char> memory(int bytes = block_bytes) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return std::vector<char>(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(bytes), 1);
}

Pair allreduce_8b() {
  static double in = 1.0;
  static double out = 0.0;
  return {[](MPI_Comm comm) { MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, comm); },
          [](MPI_Comm comm) { PMPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, comm); }};
}

Pair bcast_4k() {
  static std::vector<char> data = memory();
  return {[](MPI_Comm comm) { MPI_Bcast(data.data(), 4096, MPI_BYTE, 0, comm); },
          [](MPI_Comm comm) { PMPI_Bcast(data.data(), 4096, MPI_BYTE, 0, comm); }};
}

Pair alltoall_64k() {
  static std::vector<char> in = memory();
  static std::vector<char> out = memory();
  return {
      [](MPI_Comm comm) { MPI_Alltoall(in.data(), block_bytes, MPI_BYTE, out.data(), block_bytes, MPI_BYTE, comm); },
      [](MPI_Comm comm) { PMPI_Alltoall(in.data(), block_bytes, MPI_BYTE, out.data(), block_bytes, MPI_BYTE, comm); }};
}

Pair allgather_64k() {
  static const std::vector<char> in(block_bytes, 1);
  static std::vector<char> out = memory();
  return {
      [](MPI_Comm comm) { MPI_Allgather(in.data(), block_bytes, MPI_BYTE, out.data(), block_bytes, MPI_BYTE, comm); },
      [](MPI_Comm comm) { PMPI_Allgather(in.data(), block_bytes, MPI_BYTE, out.data(), block_bytes, MPI_BYTE, comm); }};
}

/// Seconds per call after the decision.
Times after_the_decision(const Pair& pair, int blocks, int calls, MPI_Comm comm = MPI_COMM_WORLD) {
  for (int i = 0; i < bench::effort(10000, 100); ++i) {
    pair.with(comm);
  }
  const auto per_call = [&](const std::function<void(MPI_Comm)>& call) {
    return seconds_of([&] {
             for (int i = 0; i < calls; ++i) {
               call(comm);
             }
           }) /
           calls;
  };
  Times times;
  for (int block = 0; block < blocks; ++block) {
    const double first = per_call(pair.with);
    const double without = per_call(pair.without) + per_call(pair.without);
    times.with.push_back((first + per_call(pair.with)) / 2);
    times.without.push_back(without / 2);
  }
  return times;
}

/// Runs both sides on new communicators and in alternating order. A side includes the release of its communicator.
Times on_new_communicators(int blocks, const std::function<void(MPI_Comm, bool)>& run) {
  Times times;
  for (int block = -1; block < blocks; ++block) {
    std::array<double, 2> seconds{};
    for (int side = 0; side < 2; ++side) {
      const bool with = (side + block) % 2 == 0;
      MPI_Comm comm = MPI_COMM_NULL;
      PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
      seconds.at(with ? 1 : 0) = seconds_of([&] {
        run(comm, with);
        MPI_Comm_free(&comm);
      });
    }
    if (block >= 0) {  // the first block touches all memory for the first time
      times.without.push_back(seconds[0]);
      times.with.push_back(seconds[1]);
    }
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

Interval added_percent(const Times& times) {
  std::vector<double> added = bench::ratios(times.with, times.without);
  for (double& one : added) {
    one = 100.0 * (one - 1.0);
  }
  return median_of(std::move(added));
}

Interval ratio(const Times& times) { return median_of(bench::ratios(times.with, times.without)); }

Json decided() {
  const int blocks = bench::effort(401, 5);
  const int exchanges = bench::effort(201, 5);
  return {bench::figure("allreduce_8b_added_ns",
                        added_ns(after_the_decision(allreduce_8b(), blocks, bench::effort(2500, 50)))),
          bench::figure("alltoall_64k_time_over_plain",
                        ratio(after_the_decision(alltoall_64k(), exchanges, bench::effort(50, 5)))),
          bench::figure("allgather_64k_time_over_plain",
                        ratio(after_the_decision(allgather_64k(), exchanges, bench::effort(50, 5))))};
}

/// The ranks in a periodic grid.
MPI_Comm grid(int dimensions) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<int> sizes(static_cast<std::size_t>(dimensions), 0);
  MPI_Dims_create(ranks, dimensions, sizes.data());
  const std::vector<int> periods(sizes.size(), 1);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, sizes.data(), periods.data(), 0, &comm);
  return comm;
}

Interval neighbor_alltoall(int dimensions, int bytes) {
  const std::vector<char> in(2U * static_cast<std::size_t>(dimensions) * static_cast<std::size_t>(bytes), 1);
  std::vector<char> out(in.size());
  const Pair pair{
      [&](MPI_Comm comm) { MPI_Neighbor_alltoall(in.data(), bytes, MPI_BYTE, out.data(), bytes, MPI_BYTE, comm); },
      [&](MPI_Comm comm) { PMPI_Neighbor_alltoall(in.data(), bytes, MPI_BYTE, out.data(), bytes, MPI_BYTE, comm); }};
  MPI_Comm comm = grid(dimensions);
  const Interval found = ratio(after_the_decision(pair, bench::effort(101, 5), bench::effort(50, 5), comm));
  MPI_Comm_free(&comm);
  return found;
}

Interval alltoallv(int bytes) {
  const std::vector<char> in = memory(bytes);
  std::vector<char> out = in;
  const std::vector<int> counts(in.size() / static_cast<std::size_t>(bytes), bytes);
  std::vector<int> places;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    places.push_back(static_cast<int>(i) * bytes);
  }
  const Pair pair{[&](MPI_Comm comm) {
                    MPI_Alltoallv(in.data(), counts.data(), places.data(), MPI_BYTE, out.data(), counts.data(),
                                  places.data(), MPI_BYTE, comm);
                  },
                  [&](MPI_Comm comm) {
                    PMPI_Alltoallv(in.data(), counts.data(), places.data(), MPI_BYTE, out.data(), counts.data(),
                                   places.data(), MPI_BYTE, comm);
                  }};
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const Interval found = ratio(after_the_decision(pair, bench::effort(101, 5), bench::effort(50, 5), comm));
  MPI_Comm_free(&comm);
  return found;
}

Json blocks() {
  Json figures;
  for (const int bytes : {8, 1024, 16384, 65536}) {
    const std::string name = "blocks_time_over_plain.";
    const std::string size = "_" + std::to_string(bytes);
    figures.push_back(bench::figure(name + "neighbor_ring" + size, neighbor_alltoall(1, bytes)));
    figures.push_back(bench::figure(name + "neighbor_torus" + size, neighbor_alltoall(3, bytes)));
    figures.push_back(bench::figure(name + "alltoallv" + size, alltoallv(bytes)));
  }
  return figures;
}

Interval first_calls(const Pair& pair) {
  const int calls = bench::effort(1000, 40);
  return added_percent(on_new_communicators(bench::effort(101, 3), [&](MPI_Comm comm, bool with) {
    const auto& call = with ? pair.with : pair.without;
    for (int i = 0; i < calls; ++i) {
      call(comm);
    }
  }));
}

Json first() {
  const std::string name = "first_1000_calls_added_percent.";
  return {bench::figure(name + "allreduce_8b", first_calls(allreduce_8b())),
          bench::figure(name + "bcast_4k", first_calls(bcast_4k())),
          bench::figure(name + "allgather_64k", first_calls(allgather_64k())),
          bench::figure(name + "alltoall_64k", first_calls(alltoall_64k()))};
}

Json undecided() {
  constexpr int sizes = 8;
  constexpr int smallest = 16384;
  const int calls = bench::effort(40000, 40);
  static std::vector<char> in = memory(smallest * sizes);
  static std::vector<char> out = memory(smallest * sizes);
  std::mt19937 random(48);
  std::vector<int> order(static_cast<std::size_t>(calls));
  for (int& bytes : order) {
    bytes = smallest * (1 + static_cast<int>(random() % sizes));
  }
  const Times times = on_new_communicators(bench::effort(21, 3), [&](MPI_Comm comm, bool with) {
    for (const int bytes : order) {
      (with ? MPI_Alltoall : PMPI_Alltoall)(in.data(), bytes, MPI_BYTE, out.data(), bytes, MPI_BYTE, comm);
    }
  });
  Json figure = bench::figure("undecided_program_added_percent", added_percent(times));
  figure["seconds"] = median_of(times.without).median;
  return {figure};
}

}  // namespace

int main(int argc, char** argv) {
  setenv("ADCL_INTERPOSE_HISTORY", "off", 1);  // the results must not depend on earlier runs
  const std::map<std::string, Json (*)()> parts = {
      {"decided", decided}, {"blocks", blocks}, {"first", first}, {"undecided", undecided}};
  const auto part = parts.find(argc == 3 ? argv[1] : "");
  if (part == parts.end()) {
    std::fprintf(stderr, "usage: %s decided|blocks|first|undecided FILE   (the figures are written to FILE as JSON)\n",
                 argv[0]);
    return 2;
  }
  if (part->second == decided || part->second == blocks) {
    setenv("ADCL_INTERPOSE_BUDGET", "1000", 1);  // decide within the calls before the first block
  }
  MPI_Init(&argc, &argv);
  const Json figures = part->second();
  const int code = bench::write_document(argv[2], Json::object(), figures);
  MPI_Finalize();
  return code;
}
