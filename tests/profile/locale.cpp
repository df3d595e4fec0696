// A program with a decimal comma and digit grouping in the C and C++ locales: the profiler's file is valid JSON with
// the same contents.
#include <mpi.h>

#include <chrono>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <locale>
#include <string>
#include <thread>

#include "expected.hpp"
#include "support/comma_locale.hpp"

namespace {

using adcl::test::comma_locale;

constexpr int messages = 1200;  // enough for a digit group
constexpr int bytes = 1500;

/// Sends to the right neighbor in a ring; all other ranks wait for the first rank in a barrier.
void communicate(int rank, int ranks, adcl::test::Expected& expected) {
  using namespace std::chrono_literals;
  char out[bytes] = "";
  char in[bytes] = "";
  for (int i = 0; i < messages; ++i) {
    MPI_Sendrecv(out, bytes, MPI_CHAR, (rank + 1) % ranks, 0, in, bytes, MPI_CHAR, (rank + ranks - 1) % ranks, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expected.message(bytes);
  }
  expected.call("MPI_Sendrecv", messages);
  if (rank == 0) {
    std::this_thread::sleep_for(50ms);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  expected.call("MPI_Barrier");
  if (rank != 0) {
    expected.at_least("collective", 0.03);
  }
}

}  // namespace

int main(int argc, char** argv) {
  unsetenv("LD_PRELOAD");  // the library is loaded already, and the child process does not need it
  const bool have = adcl::test::make_comma_locale();
  MPI_Init(&argc, &argv);
  if (have) {
    std::setlocale(LC_ALL, comma_locale);
    std::locale::global(std::locale(comma_locale));
  } else {
    std::printf("localedef cannot create the locale %s: nothing to test\n", comma_locale);
  }
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  adcl::test::Expected expected;
  communicate(rank, ranks, expected);
  expected.prepare();
  MPI_Finalize();
  std::locale::global(std::locale::classic());
  std::setlocale(LC_ALL, "C");
  return expected.compare();
}
