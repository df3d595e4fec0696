// A program with many message sizes in random order: many_sizes [SIZES [SECONDS]]. Compares each result with the MPI
// library's (PMPI_), and both times: the two calls alternate, and the second call of a pair is the first call of the
// next pair. Prints the time with the interposer relative to the time without it, for each half of the program. The
// program is compiled without ADCL.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "report_check.hpp"

namespace {

struct Times {
  double with_s = 0.0;
  double without_s = 0.0;
};

struct Data {
  std::vector<int> send;
  std::vector<int> tried;
  std::vector<int> expected;
};

enum { alltoall, allgather, allreduce, bcast, operations };

template <bool native>
void call(int operation, Data& data, int n) {
  int* const receive = native ? data.expected.data() : data.tried.data();
  const int* const send = data.send.data();
#define CALL(name, ...) (native ? PMPI_##name(__VA_ARGS__) : MPI_##name(__VA_ARGS__))
  switch (operation) {
    case alltoall:
      CALL(Alltoall, send, n, MPI_INT, receive, n, MPI_INT, MPI_COMM_WORLD);
      break;
    case allgather:
      CALL(Allgather, send, n, MPI_INT, receive, n, MPI_INT, MPI_COMM_WORLD);
      break;
    case allreduce:
      CALL(Allreduce, send, receive, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      break;
    default:
      CALL(Bcast, receive, n, MPI_INT, 0, MPI_COMM_WORLD);
      break;
  }
#undef CALL
}

template <bool native>
double seconds_of(int operation, Data& data, int n) {
  PMPI_Barrier(MPI_COMM_WORLD);
  const double begin_s = MPI_Wtime();
  call<native>(operation, data, n);
  return MPI_Wtime() - begin_s;
}

}  // namespace

int main(int argc, char** argv) {
  const auto sizes = static_cast<std::size_t>(argc > 1 ? std::atoi(argv[1]) : 200);
  const double seconds = argc > 2 ? std::atof(argv[2]) : 1.5;
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  constexpr int most = 1 << 14;
  constexpr long fewest_calls = 4800;  // enough for searches to begin, however slow the machine is
  std::mt19937 common(4711);
  std::vector<int> counts(sizes);
  for (int& n : counts) {
    n = 1 + static_cast<int>(common() % static_cast<unsigned>(1U << (common() % 15)));
  }
  if (sizes == 2) {
    counts = {most / 2 + 5, most};
  }
  Data data;
  data.send.resize(static_cast<std::size_t>(most) * static_cast<std::size_t>(ranks));
  data.tried = data.expected = data.send;
  for (std::size_t i = 0; i < data.send.size(); ++i) {
    data.send[i] = static_cast<int>(i) * (rank + 3);
  }
  const int used = argc > 3 ? std::max(1, std::min<int>(std::atoi(argv[3]), operations)) : operations;
  Times halves[2];
  int failures = 0;
  long calls = 0;
  const double begin_s = MPI_Wtime();
  for (int half = 0; half < 2; ++half) {
    for (int more = 1; more != 0;) {
      for (int i = 0; i < 100; ++i) {
        const int n = counts[common() % sizes];
        const int operation = static_cast<int>(common() % static_cast<unsigned>(used));
        const bool first = calls++ % 2 == 0;
        const auto received = static_cast<std::size_t>(n) * static_cast<std::size_t>(operation < allreduce ? ranks : 1);
        std::fill_n(data.tried.begin(), received, operation == bcast && rank == 0 ? n : -1);
        std::fill_n(data.expected.begin(), received, operation == bcast && rank == 0 ? n : -2);
        double with_s = first ? seconds_of<false>(operation, data, n) : 0.0;
        const double without_s = seconds_of<true>(operation, data, n);
        with_s = first ? with_s : seconds_of<false>(operation, data, n);
        halves[half].with_s += with_s;
        halves[half].without_s += without_s;
        failures += std::equal(data.tried.begin(), data.tried.begin() + static_cast<std::ptrdiff_t>(received),
                               data.expected.begin())
                        ? 0
                        : 1;
      }
      more = MPI_Wtime() - begin_s < seconds * (half + 1) / 2 || calls < fewest_calls ? 1 : 0;
      PMPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
  }
  PMPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  double all[4] = {halves[0].with_s, halves[0].without_s, halves[1].with_s, halves[1].without_s};
  PMPI_Allreduce(MPI_IN_PLACE, all, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 0) {
    std::printf("%zu sizes, %ld calls: time over plain %.4f, first half %.4f, second half %.4f\n", sizes, calls,
                (all[0] + all[2]) / (all[1] + all[3]), all[0] / all[1], all[2] / all[3]);
    const char* const strict = std::getenv("ADCL_TEST_LARGE_BUDGET");
    failures += strict != nullptr && ranks > 1 ? report_lacks_searches() : 0;
  }
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
