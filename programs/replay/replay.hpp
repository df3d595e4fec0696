/// \file replay.hpp
/// Searches on measurements that were made before: what would another search, another statistical method or another
/// number of measurements have decided? The searches and methods are the library's own. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/attribute.hpp"
#include "measure/estimator.hpp"
#include "select/search.hpp"

namespace adcl::replay {

/// The times of one codelet: for each start that all ranks have measured, the seconds on each of them.
struct Times {
  std::vector<std::vector<double>> of_rank;  ///< of the same length on all ranks

  [[nodiscard]] std::size_t starts() const { return of_rank.empty() ? 0 : of_rank.front().size(); }
};

/// What is replayed: candidates with their times, one entry each.
struct Recording {
  AttributeSet attributes;
  std::vector<select::Candidate> candidates;
  std::vector<Times> times;

  [[nodiscard]] std::size_t ranks() const { return times.empty() ? 0 : times.front().of_rank.size(); }
};

/// Throws Error(argument) for a recording without candidates, with one that has no times, or with ranks that differ.
void check(const Recording& recording);

/// How it is replayed.
struct Setup {
  const select::Logic* logic = nullptr;
  const measure::Estimator* method = nullptr;
  int measurements = 10;                         ///< n_m
  std::map<std::string, std::string> options{};  ///< of the logic or the method by name; others are left alone
  double begin = 0.0;                            ///< where reading begins, as a part of each codelet's recorded starts
  int starts = 20000;                            ///< of the program: what has not been decided then never is
};

/// What came of it.
struct Outcome {
  int winner = -1;  ///< by the verdict, or the provisional one that stands when the program ends; -1: none
  std::string reason;
  std::vector<int> ties;
  long long starts = 0;        ///< until the last agreement, those whose time is not wanted among them
  long long measurements = 0;  ///< those whose time was used
  long long reused = 0;        ///< of these: recorded times that were read again, since there are not enough
  double seconds = 0.0;        ///< in those starts, on the slowest rank of each
};

/// Runs one search until it has decided for good, or the program ends. A start takes the codelet's next recorded time,
/// from the first one again after the last. A start whose time is not wanted takes the codelet's mean, and the ranks'
/// agreement one start, as in a program; plans take no time. Throws Error(option) for an invalid value of an option.
Outcome replay(const Recording& recording, const Setup& setup);

/// What each codelet takes by all of its recorded times, in the judgement of \p method: seconds.
std::vector<double> judged(const Recording& recording, const measure::Estimator& method,
                           const std::map<std::string, std::string>& options);

}  // namespace adcl::replay
