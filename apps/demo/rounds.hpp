/// \file rounds.hpp
/// Lets ADCL search, then lets alternatives run in turn, in rounds: in each round every one of them goes on once, in an
/// order of its own.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace demo {

/// How many rounds, and how long they are to take together. Where they take longer there are fewer, but at least six,
/// or two where six take three times as long.
struct Limits {
  int rounds = 24;
  int seconds = 20;
};

struct Comparison {
  nlohmann::json record;  ///< on rank 0
  std::string fault;      ///< the first wrong answer, or empty; on all ranks or on none
};

/// One alternative's part of a round, the same on all ranks.
struct Run {
  double seconds = 0.0;
  std::string fault;  ///< what is wrong with the answer, or empty
  std::uint64_t answer = 0;
};

/// Lets alternative \p i, from 0 to below names.size(), go on for a while. Collective.
using Alternative = std::function<Run(std::size_t i)>;

/// How often something is to be done in a round by each of \p alternatives, if doing it once takes \p seconds.
/// The same on all ranks. Collective over MPI_COMM_WORLD.
int repetitions(double seconds, std::size_t alternatives, const Limits& limits);

/// Lets ADCL \p go_on, by \p each repetitions, until its searches have \p ended, or for as long as the rounds may take.
/// The record tells how long that was. Collective over MPI_COMM_WORLD.
void finish_searches(const std::function<Run()>& go_on, const std::function<bool()>& ended, int each,
                     const Limits& limits, Comparison& result);

/// Runs the rounds and adds them to \p result: three with all alternatives, the others with the best and the worst of
/// these but for the last, and with the last, which is ADCL. All answers of a round must be equal. Collective over
/// MPI_COMM_WORLD.
void run_rounds(const std::vector<std::string>& names, const Alternative& run, const Limits& limits,
                Comparison& result);

/// The largest \p value of any rank. Collective over MPI_COMM_WORLD.
double largest(double value);

}  // namespace demo
