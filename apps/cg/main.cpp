#include <cstdio>

#include "common/nas_program.hpp"
#include "solver.hpp"

namespace {

constexpr const char* help =
    "cg: the NAS Parallel Benchmark CG, the smallest eigenvalue of a random sparse matrix.\n"
    "The processes of a grid row exchange and sum parts of vectors and single numbers.\n"
    "\n"
    "usage: mpirun -n RANKS cg [--class CLASS]      RANKS is a power of two\n"
    "\n"
    "  --class CLASS   class of the benchmark: S, W, A, B, C or D, from the smallest to the largest (default S)\n"
    "  --help          print this text\n"
    "\n"
    "Exit code 0: the result agrees with the specification; 1: it does not; 2: usage error.\n"
    "\n"
    "example: mpirun -n 4 cg --class A\n";

int run(const std::vector<std::string>& words) {
  const cg::ProblemClass* const problem = apps::nas_class(words, "cg", help, "S W A B C D", cg::find_class);
  if (problem == nullptr) {
    return apps::correct;
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const cg::Record record = cg::solve(*problem, MPI_COMM_WORLD);
  const bool good = cg::verified(*problem, record.zeta);
  if (rank == 0) {
    std::printf("NAS CG, class %c: order %d, %d iterations, %d x %d processes\n", problem->name, problem->order,
                problem->iterations, record.rows, record.columns);
    std::printf("zeta = %.13f, should be %.13f; residual %.3e\n", record.zeta, problem->zeta, record.residual);
    std::printf("Time in seconds = %.6f\n", record.seconds);
    std::printf("Verification: %s\n", good ? "successful" : "failed");
    std::fflush(stdout);
  }
  return good ? apps::correct : apps::wrong;
}

}  // namespace

int main(int argc, char** argv) { return apps::main_of("cg", argc, argv, run); }
