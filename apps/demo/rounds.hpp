/// \file rounds.hpp
/// Lets ADCL search, then runs alternatives in rounds: each round runs every alternative once, in a different order.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace demo {

/// Number of rounds and their intended total time. If rounds take longer, their number is smaller, but at least six, or
/// two if six rounds take three times the total time.
struct Limits {
  int rounds = 24;
  int seconds = 20;
};

struct Comparison {
  nlohmann::json record;  ///< record of all rounds, on rank 0
  std::string fault;      ///< the first wrong answer, or empty; set on all ranks or on none
};

/// One alternative's part of a round, the same on all ranks.
struct Run {
  double seconds = 0.0;
  std::string fault;  ///< description of a wrong answer, or empty
  std::uint64_t answer = 0;
};

/// Runs a part of alternative \p i, from 0 to names.size() - 1. Collective.
using Alternative = std::function<Run(std::size_t i)>;

/// Number of repetitions per round for each of \p alternatives, if one repetition takes \p seconds. The same on all
/// ranks. Collective over MPI_COMM_WORLD.
int repetitions(double seconds, std::size_t alternatives, const Limits& limits);

/// Runs ADCL's part \p go_on, with \p each repetitions, until its searches have \p ended, or for at most the time of
/// the rounds. The record contains the time of the search. Collective over MPI_COMM_WORLD.
void finish_searches(const std::function<Run()>& go_on, const std::function<bool()>& ended, int each,
                     const Limits& limits, Comparison& result);

/// Runs the rounds and adds them to \p result: three rounds with all alternatives, and further rounds with the last
/// alternative, which is ADCL, and with the best and the worst of all other alternatives. All answers of a round must
/// be equal. Collective over MPI_COMM_WORLD.
void run_rounds(const std::vector<std::string>& names, const Alternative& run, const Limits& limits,
                Comparison& result);

/// Maximum of \p value over all ranks. Collective over MPI_COMM_WORLD.
double largest(double value);

}  // namespace demo
