#include <mpi.h>

#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "common/enough_memory.hpp"
#include "common/program.hpp"
#include "common/progress_bar.hpp"
#include "options.hpp"
#include "report.hpp"
#include "simulation.hpp"

namespace solver3d {
namespace {

void print_error(int rank, const std::string& message) {
  if (rank == 0) {
    std::cerr << "solver3d: " << message << '\n' << std::flush;
  }
}

/// Opens the file before the computation, so that a wrong path does not cost a run. Collective.
bool open_json(const Options& options, int rank, std::ofstream& file) {
  int opened = 1;
  if (rank == 0 && !options.json.empty()) {
    file.open(options.json);
    opened = file.is_open() ? 1 : 0;
  }
  MPI_Bcast(&opened, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return opened == 1;
}

/// Returns true on all ranks if the file could not be written. Collective.
bool publish(const Record& record, const Options& options, int rank, std::ofstream& file) {
  int failed = 0;
  if (rank == 0) {
    if (!options.quiet) {
      std::cout << as_text(record) << std::flush;
    }
    if (!options.json.empty()) {
      file << as_json(record);
      file.close();
      failed = file.good() ? 0 : 1;
    }
  }
  MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return failed == 1;
}

int run(const std::vector<std::string>& arguments) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const Options options = parse_options(arguments);
  if (options.help) {
    if (rank == 0) {
      std::cout << help_text() << std::flush;
    }
    return apps::correct;
  }
  std::ofstream file;
  if (!open_json(options, rank, file)) {
    throw UsageError("--json: cannot write to '" + options.json + "'");
  }

  // Three arrays with halo, two without, and the arrays of the solver.
  constexpr double doubles_per_point = 11.0;
  if (!apps::enough_memory(sizeof(double) * doubles_per_point * options.size[0] * options.size[1] * options.size[2],
                           MPI_COMM_WORLD)) {
    throw UsageError("there is not enough memory for this number of points; change --size");
  }

  Record record;
  try {
    apps::ProgressBar bar(rank == 0 && !options.quiet);
    record = simulate(options, MPI_COMM_WORLD, [&bar](double done) { bar.show(done); });
  } catch (const SolverError& error) {
    print_error(rank, error.what());
    return apps::wrong;
  }
  if (publish(record, options, rank, file)) {
    print_error(rank, "--json: writing '" + options.json + "' failed");
    return apps::wrong;
  }
  if (!record.correct()) {
    print_error(rank, "the answer is wrong: the residual or the error exceeds its limit");
    return apps::wrong;
  }
  return apps::correct;
}

}  // namespace
}  // namespace solver3d

int main(int argc, char** argv) { return apps::main_of("solver3d", argc, argv, solver3d::run); }
