/// \file recording.hpp
/// Records the times of codelets on real operations, for replays of searches.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/adcl_call.hpp"
#include "common/document.hpp"

namespace bench {

/// Numbers of plans and rounds.
struct Effort {
  int plans = effort(3, 1);
  int rounds = effort(4, 2);
};

/// Parses the options --plans=N and --rounds=N; stores the remaining words in \p names. Unknown options end the
/// program.
Effort effort_of(int argc, char** argv, std::vector<std::string>& names);

/// A plan of a codelet and its recorded times, in seconds.
struct Recorded {
  std::string codelet;
  std::function<int()> start;  ///< starts one operation; returns ADCL's code
  bool possible = true;        ///< whether the plan could be made
  double first_s = 0.0;
  std::vector<double> switches{};
  std::vector<double> samples{};
};

/// Starts all plans in rounds of random order, the same on all ranks. The plans of a codelet are adjacent in \p all.
/// Returns for each codelet: first_us, the median of its first starts, which make the plan and include one-time work of
/// the MPI library; switch_us, the median of the first execution after another codelet; and samples_us, the executions
/// that follow. All are maxima over the ranks. Collective.
Json record(std::vector<Recorded>& all, const Effort& effort);

/// Rank 0 writes context, figures and settings, with one line for each codelet. Returns the exit code. Collective.
int write_tables(const char* path, const Json& settings);

}  // namespace bench
