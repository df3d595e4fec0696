/// \file recording.hpp
/// What codelets take on real operations, recorded for searches to be replayed on.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/adcl_call.hpp"
#include "common/document.hpp"

namespace bench {

/// How often everything is measured.
struct Effort {
  int plans = effort(3, 1);
  int rounds = effort(4, 2);
};

/// The options --plans=N and --rounds=N of the command line, and in \p names what follows them. Others end the program.
Effort effort_of(int argc, char** argv, std::vector<std::string>& names);

/// A plan of a codelet, and what is recorded of it, in seconds.
struct Recorded {
  std::string codelet;
  std::function<int()> start;  ///< one operation; returns ADCL's code
  bool possible = true;        ///< its plan could be made
  double first_s = 0.0;
  std::vector<double> switches{};
  std::vector<double> samples{};
};

/// Starts all plans in rounds of random order, the same on all ranks, and returns per codelet, the plans of which
/// follow each other in \p all: first_us, their first starts, which make the plan and whatever the MPI library does
/// once (the median); switch_us, the first execution after another codelet's (the median); and samples_us, those that
/// follow it. All are the largest over the ranks. Collective.
Json record(std::vector<Recorded>& all, const Effort& effort);

/// Collective: rank 0 writes context, figures and settings with one line for each codelet. Returns the exit code.
int write_tables(const char* path, const Json& settings);

}  // namespace bench
