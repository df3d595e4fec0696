/// \file checks.hpp
/// Checks for programs that use the library through ADCL.h, as applications do.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "ADCL.h"

namespace adcl::test {

inline int failures = 0;  ///< failed checks of this rank

/// Prints \p what if the condition is false. Local.
inline void expect(bool condition, const std::string& what) {
  if (!condition) {
    ++failures;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::fprintf(stderr, "rank %d failed: %s (last error: %s)\n", rank, what.c_str(), ADCL_Last_error());
  }
}

inline void ok(int code, const std::string& call) { expect(code == ADCL_SUCCESS, call); }

/// The common exit code of all ranks. Collective over MPI_COMM_WORLD.
inline int exit_code() {
  int total = 0;
  MPI_Allreduce(&failures, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return total == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/// Contents of a file.
inline std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The folder of the only run with a trace in \p folder.
inline std::filesystem::path only_run(const std::filesystem::path& folder) {
  std::filesystem::path found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    expect(found.empty(), "there is a second run in " + folder.string());
    found = entry.path();
  }
  return found;
}

}  // namespace adcl::test
