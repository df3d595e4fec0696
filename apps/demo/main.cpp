/// The program of `make demo`: runs one solver with each hand-written exchange and with ADCL, or one all-to-all with
/// MPI and with ADCL. The alternatives take turns in one job. Writes a JSON record of every time.
#include <mpi.h>

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "alltoall.hpp"
#include "common/mpi_library.hpp"
#include "common/program.hpp"
#include "exchanges.hpp"

namespace {

using apps::UsageError;

constexpr std::string_view help =
    "demo: compares communication methods in one MPI job. In each round, each method runs for a while.\n"
    "\n"
    "usage: mpirun -n RANKS demo --json FILE [options]\n"
    "\n"
    "  --points N       solver: points of the mesh per process (default 300)\n"
    "  --fields N       solver: fields that are solved together (default 4)\n"
    "  --levels N       solver: levels of the multigrid hierarchy (default 3)\n"
    "  --alltoall N     instead of the solver: an all-to-all of N bytes for each pair of processes\n"
    "  --rounds N       number of rounds (default 24)\n"
    "  --seconds N      seconds for all rounds of all methods (default 20)\n"
    "  --json FILE      write the record of all runs\n"
    "  --help           print this text\n"
    "\n"
    "Exit code 0: all answers are right and equal; 1: an answer is wrong; 2: usage error.\n";

struct Request {
  demo::Limits limits;
  demo::SolverSize solver;
  int alltoall_bytes = 0;
  std::string json;
  bool help = false;
};

Request parse(const std::vector<std::string>& words) {
  Request request;
  apps::Arguments arguments(words);
  const auto number = [&](long high) { return static_cast<int>(arguments.number(1, high)); };
  while (arguments.next()) {
    const std::string& option = arguments.option();
    if (option == "--points") {
      request.solver.points = number(100000);
    } else if (option == "--fields") {
      request.solver.fields = number(100);
    } else if (option == "--levels") {
      request.solver.levels = number(8);
    } else if (option == "--alltoall") {
      request.alltoall_bytes = number(1 << 24);
    } else if (option == "--rounds") {
      request.limits.rounds = static_cast<int>(arguments.number(2, 1000));
    } else if (option == "--seconds") {
      request.limits.seconds = number(3600);
    } else if (option == "--json") {
      request.json = arguments.text();
    } else if (option == "--help" || option == "-h") {
      request.help = arguments.flag();
    } else {
      throw UsageError("there is no option '" + option + "' (demo --help lists them)");
    }
  }
  if (request.json.empty() && !request.help) {
    throw UsageError("--json FILE is missing; pass the name of the file for the record");
  }
  return request;
}

/// Rank 0 opens the file before the measurements. Collective.
std::ofstream open(const std::string& name, int rank) {
  std::ofstream file;
  int good = 1;
  if (rank == 0) {
    file.open(name);
    good = file.is_open() ? 1 : 0;
  }
  MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (good == 0) {
    throw UsageError("--json: cannot write to '" + name + "'");
  }
  return file;
}

int run(const std::vector<std::string>& words) {
  const Request request = parse(words);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (request.help) {
    if (rank == 0) {
      std::cout << help << std::flush;
    }
    return apps::correct;
  }
  std::ofstream file = open(request.json, rank);
  demo::Comparison comparison = request.alltoall_bytes > 0 ? compare_alltoall(request.alltoall_bytes, request.limits)
                                                           : compare_exchanges(request.solver, request.limits);
  int good = comparison.fault.empty() ? 1 : 0;
  if (rank == 0) {
    comparison.record["mpi"] = apps::mpi_library();
    comparison.record["ranks"] = ranks;
    const std::size_t rounds = comparison.record["rounds"].size();
    const std::size_t alternatives = comparison.record["rounds"][0].size();
    file << comparison.record.dump() << "\n" << std::flush;
    if (good == 0) {
      std::cerr << "demo: a wrong answer: " << comparison.fault << "\n" << std::flush;
    } else if (!file.good()) {
      std::cerr << "demo: --json: writing '" + request.json + "' failed\n" << std::flush;
      good = 0;
    } else {
      std::cout << "demo: " << rounds << " rounds of " << alternatives << " alternatives; all answers are equal\n"
                << std::flush;
    }
  }
  MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return good == 1 ? apps::correct : apps::wrong;
}

}  // namespace

int main(int argc, char** argv) { return apps::main_of("demo", argc, argv, run); }
