// Measures how the addresses of memory affect the time of an exchange in shared memory.
//
// Cache lines: two ranks pass a counter back and forth, each through its own line in shared memory; pairs of lines take
// turns. Plans: requests with the same preselected codelet exchange the halo of the same cube of 16^3 points in turns;
// each has its own plan and memory for messages.
#include <ADCL.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "common/adcl_call.hpp"
#include "common/document.hpp"
#include "common/median.hpp"

namespace {

using bench::check;
using bench::Json;
using bench::median_of;

constexpr int pairs = 64;
constexpr std::size_t apart = 576;  ///< bytes between lines: no two of them are at the same offset of a page
constexpr int round_trips = 1000;
constexpr int most_spins = 10000;
const int rounds = bench::effort(11, 2);
constexpr int requests = 16;
constexpr int points = 16;
constexpr int exchanges = 100;

using Counter = std::atomic<std::uint32_t>;

/// Memory of both ranks: one line for each direction of each pair.
class Lines {
 public:
  Lines() {
    const std::size_t bytes = rank() == 0 ? 2 * pairs * apart : 0;
    void* own = nullptr;
    MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window_);
    MPI_Aint size = 0;
    int unit = 0;
    MPI_Win_shared_query(window_, 0, &size, &unit, &first_);
    if (rank() == 0) {
      for (std::size_t line = 0; line < 2 * pairs; ++line) {
        new (first_ + line * apart) Counter(0);
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~Lines() { MPI_Win_free(&window_); }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  /// Seconds of a round trip, on rank 0.
  double round_trip(int pair) {
    Counter& there = counter(2 * pair);
    Counter& back = counter(2 * pair + 1);
    const std::uint32_t before = back.load();
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (std::uint32_t trip = before + 1; trip <= before + round_trips; ++trip) {
      if (rank() == 0) {
        there.store(trip, std::memory_order_release);
        wait(back, trip);
      } else {
        wait(there, trip);
        back.store(trip, std::memory_order_release);
      }
    }
    return (MPI_Wtime() - begin) / round_trips;
  }

 private:
  static int rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
  }
  static void wait(const Counter& counter, std::uint32_t value) {
    for (int spins = 0; counter.load(std::memory_order_acquire) != value; ++spins) {
      if (spins > most_spins) {
        std::this_thread::yield();  // if both ranks share a core
      }
    }
  }
  Counter& counter(int line) { return *reinterpret_cast<Counter*>(first_ + static_cast<std::size_t>(line) * apart); }

  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* first_ = nullptr;
};

/// Medians of \p things methods that take turns.
template <typename Measure>
std::vector<double> medians(int things, const Measure& measure) {
  std::vector<std::vector<double>> samples(static_cast<std::size_t>(things));
  for (int round = -1; round < rounds; ++round) {
    for (int thing = 0; thing < things; ++thing) {
      double seconds = measure(thing);
      MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      if (round >= 0) {
        samples[static_cast<std::size_t>(thing)].push_back(seconds);
      }
    }
  }
  std::vector<double> result;
  for (auto& one : samples) {
    result.push_back(median_of(std::move(one)).median);
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<double> round_trips_of_lines() {
  Lines lines;
  return medians(pairs, [&](int pair) { return lines.round_trip(pair); });
}

std::vector<double> exchanges_of_plans() {
  const std::array<int, 3> processes{1, 1, 2};
  const std::array<int, 3> periods{1, 1, 1};
  const std::array<int, 3> dims{points + 2, points + 2, points + 2};
  std::vector<double> data(static_cast<std::size_t>(dims[0]) * dims[1] * dims[2], 1.0);
  MPI_Comm cart = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 3, processes.data(), periods.data(), 0, &cart);
  check(ADCL_Option_set("ADCL_HISTORY", "off"), "ADCL_Option_set");
  check(ADCL_Option_set("ADCL_MERGE_REQUESTS", "0"), "ADCL_Option_set");
  check(ADCL_Option_set("ADCL_CODELETS", "neighborhood:Shm_joined"), "ADCL_Option_set");
  std::vector<ADCL_Request> made(requests, ADCL_REQUEST_NULL);
  for (ADCL_Request& request : made) {
    check(ADCL_Halo_init(ADCL_HALO(data.data(), 3, dims.data(), 0, 1, MPI_DOUBLE), cart, &request), "ADCL_Halo_init");
  }
  const auto result = medians(requests, [&](int number) {
    const ADCL_Request request = made[static_cast<std::size_t>(number)];
    return bench::mean_seconds(exchanges, [&] { ADCL_Request_start(request); });
  });
  for (ADCL_Request& request : made) {
    check(ADCL_Request_free(&request), "ADCL_Request_free");
  }
  MPI_Comm_free(&cart);
  return result;
}

void add(Json& figures, const std::string& name, const std::vector<double>& sorted) {
  const auto figure = [&](const std::string& what, double value) {
    figures.push_back(bench::figure(name + "." + what, value));
  };
  figure("fastest", sorted.front() * 1e9);
  figure("median", sorted[sorted.size() / 2] * 1e9);
  figure("slowest", sorted.back() * 1e9);
  figure("slowest_over_fastest", sorted.back() / sorted.front());
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  check(ADCL_Init(), "ADCL_Init");
  int code = 2;
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    std::fprintf(stderr, "%s: two processes, not %d\n", argv[0], size);
  } else if (bench::names_a_file(argc, argv)) {
    Json figures = Json::array();
    add(figures, "round_trip_by_cache_lines", round_trips_of_lines());
    add(figures, "exchange_by_plans", exchanges_of_plans());
    code = bench::write_document(argv[1], {{"pairs_of_lines", pairs}, {"requests", requests}, {"points", points}},
                                 figures);
  }
  check(ADCL_Finalize(), "ADCL_Finalize");
  MPI_Finalize();
  return code;
}
