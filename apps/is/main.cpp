#include <cstdio>

#include "common/nas_program.hpp"
#include "sorter.hpp"

namespace {

constexpr const char* help =
    "is: the NAS Parallel Benchmark IS, ranking integers by buckets.\n"
    "Almost all communication is one all-to-all exchange of all keys in each iteration.\n"
    "\n"
    "usage: mpirun -n RANKS is [--class CLASS]\n"
    "\n"
    "  --class CLASS   class of the benchmark: S, W, A, B or C, from the smallest to the largest (default S)\n"
    "  --help          print this text\n"
    "\n"
    "Exit code 0: the keys are sorted, and all checked ranks agree with the specification; 1: otherwise; 2: usage "
    "error.\n"
    "\n"
    "example: mpirun -n 4 is --class A\n";

int report(const is::ProblemClass& problem, int rank) {
  is::Sorter sorter(problem, MPI_COMM_WORLD);
  sorter.rank_keys(1);  // not timed: touches all memory for the first time
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  int right = 0;
  for (int iteration = 1; iteration <= is::iterations; ++iteration) {
    right += sorter.rank_keys(iteration);
  }
  double seconds = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const bool sorted = sorter.sorted();
  const int wanted = is::iterations * is::checked_keys;
  const bool good = sorted && right == wanted;
  if (rank == 0) {
    std::printf("NAS IS, class %c: %lld keys below %d, %d iterations\n", problem.name,
                static_cast<long long>(problem.keys()), problem.largest(), is::iterations);
    std::printf("%d of %d checked ranks are right; the keys are %ssorted\n", right, wanted, sorted ? "" : "not ");
    std::printf("Time in seconds = %.6f\n", seconds);
    std::printf("Verification: %s\n", good ? "successful" : "failed");
    std::fflush(stdout);
  }
  return good ? apps::correct : apps::wrong;
}

int run(const std::vector<std::string>& words) {
  const is::ProblemClass* const problem = apps::nas_class(words, "is", help, "S W A B C", is::find_class);
  if (problem == nullptr) {
    return apps::correct;
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return report(*problem, rank);
}

}  // namespace

int main(int argc, char** argv) { return apps::main_of("is", argc, argv, run); }
