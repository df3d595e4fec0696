#include <mpi.h>

#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "options.hpp"
#include "progress_bar.hpp"
#include "report.hpp"
#include "simulation.hpp"

namespace solver3d {
namespace {

enum ExitCode { correct = 0, wrong = 1, usage = 2 };

/// MPI promises the command line to rank 0 alone: all ranks parse what it got, and so agree.
std::vector<std::string> broadcast_arguments(int argc, char** argv, int rank) {
  std::string joined;
  if (rank == 0) {
    for (int i = 1; i < argc; ++i) {
      joined.append(argv[i]).push_back('\0');
    }
  }
  int length = static_cast<int>(joined.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  joined.resize(static_cast<std::size_t>(length));
  MPI_Bcast(joined.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  std::vector<std::string> arguments;
  for (std::size_t begin = 0; begin < joined.size(); begin += arguments.back().size() + 1) {
    arguments.emplace_back(joined.c_str() + begin);
  }
  return arguments;
}

void complain(int rank, const std::string& message) {
  if (rank == 0) {
    std::cerr << "solver3d: " << message << '\n' << std::flush;
  }
}

/// Opened before the computation, so that a misspelt folder does not cost a run. Collective.
bool open_json(const Options& options, int rank, std::ofstream& file) {
  int opened = 1;
  if (rank == 0 && !options.json.empty()) {
    file.open(options.json);
    opened = file.is_open() ? 1 : 0;
  }
  MPI_Bcast(&opened, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return opened == 1;
}

/// Collective; true on all ranks when the file could not be written.
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

int run(int argc, char** argv, int rank) {
  Options options;
  try {
    options = parse_options(broadcast_arguments(argc, argv, rank));
  } catch (const UsageError& error) {
    complain(rank, error.what());
    return usage;
  }
  if (options.help) {
    if (rank == 0) {
      std::cout << help_text() << std::flush;
    }
    return correct;
  }
  std::ofstream file;
  if (!open_json(options, rank, file)) {
    complain(rank, "--json: cannot write to '" + options.json + "'");
    return usage;
  }

  Record record;
  try {
    ProgressBar bar(rank == 0 && !options.quiet);
    record = simulate(options, MPI_COMM_WORLD, [&bar](double done) { bar.show(done); });
  } catch (const SolverError& error) {
    complain(rank, error.what());
    return wrong;
  }
  if (publish(record, options, rank, file)) {
    complain(rank, "--json: writing '" + options.json + "' failed");
    return wrong;
  }
  if (!record.correct()) {
    complain(rank, "the answer is wrong: the residual or the error exceeds what it may be");
    return wrong;
  }
  return correct;
}

}  // namespace
}  // namespace solver3d

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int code = EXIT_FAILURE;
  try {
    code = solver3d::run(argc, argv, rank);
  } catch (const std::exception& error) {
    // One rank alone may have met this, out of memory for example: the others must not wait for it.
    std::cerr << "solver3d: rank " + std::to_string(rank) + ": " + error.what() + "\n" << std::flush;
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  MPI_Finalize();
  return code;
}
