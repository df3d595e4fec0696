#include <cstdio>

#include "common/program.hpp"
#include "simulation.hpp"

namespace {

constexpr const char* help =
    "wave: a standing wave in a rectangle, with one row or a few rows for each rank.\n"
    "In each step a rank sends a row to both neighbors and computes very little, so the run time depends on the\n"
    "latency of messages of this size.\n"
    "\n"
    "usage: mpirun -n RANKS wave [options]\n"
    "\n"
    "  --width N    points of a row; messages have 8 N bytes (default 640)\n"
    "  --rows N     rows per rank (default 1)\n"
    "  --steps N    number of steps (default 100000)\n"
    "  --help       print this text\n"
    "\n"
    "Exit code 0: the wave agrees with the exact solution; 1: it does not; 2: usage error.\n"
    "\n"
    "example: mpirun -n 2 wave --width 1024\n";

int run(const std::vector<std::string>& words) {
  wave::Options options;
  bool wants_help = false;
  apps::Arguments arguments(words);
  while (arguments.next()) {
    const std::string& option = arguments.option();
    if (option == "--width") {
      options.width = static_cast<int>(arguments.number(1, 100000000));
    } else if (option == "--rows") {
      options.rows = static_cast<int>(arguments.number(1, 1000000));
    } else if (option == "--steps") {
      options.steps = static_cast<int>(arguments.number(1, 1000000000));
    } else if (option == "--help" || option == "-h") {
      wants_help = arguments.flag();
    } else {
      throw apps::UsageError("there is no option '" + option + "' (wave --help lists them)");
    }
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (wants_help) {
    if (rank == 0) {
      std::fputs(help, stdout);
    }
    return apps::correct;
  }
  const wave::Record record = wave::simulate(options, MPI_COMM_WORLD);
  const bool good = record.error <= wave::tolerance(options);
  if (rank == 0) {
    std::printf("wave: %d points in each of %d rows per rank, %d steps, messages of %zu bytes\n", options.width,
                options.rows, options.steps, sizeof(double) * static_cast<std::size_t>(options.width));
    std::printf("error %.3e, allowed %.3e\n", record.error, wave::tolerance(options));
    std::printf("Time in seconds = %.6f\n", record.seconds);
    std::printf("Verification: %s\n", good ? "successful" : "failed");
    std::fflush(stdout);
  }
  return good ? apps::correct : apps::wrong;
}

}  // namespace

int main(int argc, char** argv) { return apps::main_of("wave", argc, argv, run); }
