// Collective calls with the interposer, with or without the profiler. Checks the numbers of calls that each of them
// counts. The variable ADCL_TEST_FIRST_TOOL names the first of two tools.
#include <mpi.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "report_check.hpp"

namespace {

constexpr int rounds = 300;
constexpr int barriers = 7;

int run_calls() {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<int> send(static_cast<std::size_t>(size));
  std::vector<int> receive(send.size());
  int failures = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < size; ++i) {
      send[static_cast<std::size_t>(i)] = 1000 * rank + 10 * i + round;
    }
    MPI_Alltoall(send.data(), 1, MPI_INT, receive.data(), 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; ++i) {
      failures += receive[static_cast<std::size_t>(i)] == 1000 * i + 10 * rank + round ? 0 : 1;
    }
  }
  for (int i = 0; i < barriers; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return failures;
}

int expect(bool good, const char* what) {
  if (!good) {
    std::fprintf(stderr, "%s\n", what);
  }
  return good ? 0 : 1;
}

int check_report() {
  const nlohmann::json report = read_report();
  if (!report.is_object()) {
    return expect(false, "there is no report");
  }
  const char* const library = std::getenv("ADCL_TEST_LIBRARY");
  if (library != nullptr && report["mpi_library"].get<std::string>().find(library) == std::string::npos) {
    return expect(false, "the program ran with another MPI library");
  }
  long calls = 0;
  for (const auto& row : report["searched"]) {
    calls += row["call"] == "MPI_Alltoall" ? row["calls"].get<long>() : 0;
  }
  return expect(calls == rounds, "the report does not have all calls of MPI_Alltoall") +
         expect(report["passed"].value("MPI_Barrier", 0) == barriers, "the report does not have all barriers") +
         report_lacks_searches();
}

/// A profiler before the interposer counts the program's calls. Behind it, it counts what reaches the MPI library, with
/// the calls of codelets and of the search.
int check_profile(const char* folder, bool profiler_first) {
  std::ifstream file(std::string(folder) + "/adcl-profile.0.json");
  if (!file) {
    return expect(false, "there is no profile");
  }
  const nlohmann::json calls = nlohmann::json::parse(file)["calls"];
  const auto count = [&](const char* name) { return calls.contains(name) ? calls[name]["count"].get<long>() : 0; };
  if (profiler_first) {
    return expect(count("MPI_Alltoall") == rounds, "the profile does not have all calls of MPI_Alltoall") +
           expect(count("MPI_Barrier") == barriers, "the profile has other barriers than the program") +
           expect(count("MPI_Allreduce") == 0, "the profile has calls of the interposer");
  }
  return expect(count("MPI_Alltoall") > 0, "the profile has no calls that the interposer passed on") +
         expect(count("MPI_Barrier") >= barriers, "the profile does not have all barriers") +
         expect(count("MPI_Allreduce") > 0, "the profile has no agreements of the interposer");
}

}  // namespace

extern "C" int run_program(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int failures = run_calls();
  MPI_Finalize();
  if (rank == 0 && size > 1) {
    failures += check_report();
    const char* const folder = std::getenv("ADCL_PROFILE");
    const char* const first = std::getenv("ADCL_TEST_FIRST_TOOL");
    if (folder != nullptr) {
      failures += check_profile(folder, first != nullptr && std::string(first) == "profiler");
    }
  }
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
