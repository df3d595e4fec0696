/// \file rounds.hpp
/// Lets alternatives run in turn, in rounds: each round lets every one of them go on once, in an order of its own.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace demo {

/// How many rounds, and how long they are to take together. Where they take longer there are fewer, but at least six,
/// or two where six take three times as long.
struct Limits {
  int rounds = 12;
  int seconds = 20;
};

struct Comparison {
  nlohmann::json record;  ///< on rank 0
  bool correct = true;    ///< the same on all ranks
};

/// One alternative's part of a round, the same on all ranks.
struct Run {
  double seconds = 0.0;
  bool correct = true;
  std::uint64_t answer = 0;
};

/// Lets alternative \p i, from 0 to below names.size(), go on for a while. Collective.
using Alternative = std::function<Run(std::size_t i)>;

/// How often something is to be done in a round by each of \p alternatives, if doing it once takes \p seconds.
/// The same on all ranks. Collective over MPI_COMM_WORLD.
int repetitions(double seconds, std::size_t alternatives, const Limits& limits);

/// Runs the rounds: three with all alternatives, the others with the best and the worst of these but for the last, and
/// with the last, which is ADCL. All answers of a round must be equal. Collective over
/// MPI_COMM_WORLD.
Comparison run_rounds(const std::vector<std::string>& names, const Alternative& run, const Limits& limits);

/// The largest \p value of any rank. Collective over MPI_COMM_WORLD.
double largest(double value);

}  // namespace demo
