/// \file nas_program.hpp
/// The command line of the NAS programs: `--class CLASS`, and `--help`.
#pragma once

#include <cstdio>

#include "common/program.hpp"

namespace apps {

/// The selected problem class, or null if rank 0 has printed \p help instead. \p find returns null for unknown names;
/// \p names lists the valid names. Throws UsageError. Collective, and the same on all ranks.
template <typename ProblemClass>
const ProblemClass* nas_class(const std::vector<std::string>& words, const std::string& program, const char* help,
                              const std::string& names, const ProblemClass* (*find)(std::string_view)) {
  const ProblemClass* problem = find("S");
  bool wants_help = false;
  Arguments arguments(words);
  while (arguments.next()) {
    if (arguments.option() == "--class") {
      const std::string name = arguments.text();
      problem = find(name);
      if (problem == nullptr) {
        throw UsageError("--class takes one of " + names + ", not '" + name + "'");
      }
    } else if (arguments.option() == "--help" || arguments.option() == "-h") {
      wants_help = arguments.flag();
    } else {
      throw UsageError("there is no option '" + arguments.option() + "' (" + program + " --help lists them)");
    }
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (wants_help && rank == 0) {
    std::fputs(help, stdout);
  }
  return wants_help ? nullptr : problem;
}

}  // namespace apps
