/// \file replay.hpp
/// Runs searches on recorded measurements, to compare the decisions of other searches, statistical methods and numbers
/// of measurements. Uses the searches and methods of the library. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/attribute.hpp"
#include "measure/estimator.hpp"
#include "select/search.hpp"

namespace adcl::replay {

/// The times of one codelet: for each start that all ranks have measured, the seconds on each rank.
struct Times {
  std::vector<std::vector<double>> of_rank;  ///< equally many on all ranks

  [[nodiscard]] std::size_t starts() const { return of_rank.empty() ? 0 : of_rank.front().size(); }
};

/// The input of a replay: candidates with their times, one entry for each candidate.
struct Recording {
  AttributeSet attributes;
  std::vector<select::Candidate> candidates;
  std::vector<Times> times;

  [[nodiscard]] std::size_t ranks() const { return times.empty() ? 0 : times.front().of_rank.size(); }
};

/// Throws Error(argument) for a recording without candidates, with a candidate without times, or with different numbers
/// of times on the ranks.
void check(const Recording& recording);

/// The settings of a replay.
struct Setup {
  const select::Logic* logic = nullptr;
  const measure::Estimator* method = nullptr;
  int measurements = 10;                         ///< n_m
  std::map<std::string, std::string> options{};  ///< options of the logic or the method, by name; others are ignored
  double begin = 0.0;  ///< first start to read, as a fraction of each codelet's recorded starts
  int starts = 20000;  ///< number of starts of the program; the search ends after this number
};

/// The result of a replay.
struct Outcome {
  int winner = -1;  ///< the final winner, or the provisional winner at the end of the program; -1: none
  std::string reason;
  std::vector<int> ties;
  long long starts = 0;        ///< number of starts until the last agreement, including untimed starts
  long long measurements = 0;  ///< starts whose time was used
  long long reused =
      0;  ///< number of these measurements whose recorded time was read before, because the recording is too short
  double seconds = 0.0;  ///< sum of the slowest rank's times over all starts until the last agreement
};

/// Runs one search until its final decision, or until the program ends. A start takes the codelet's next recorded time.
/// After the last recorded time, the program ends if the search has a provisional winner, because repeated times are
/// not evidence. Otherwise it continues with the first recorded time. An untimed start takes the codelet's mean. The
/// agreement of the ranks takes one start, as in a program; plans take no time. Throws Error(option) for an invalid
/// value of an option.
Outcome replay(const Recording& recording, const Setup& setup);

/// Time of each codelet from all of its recorded times, by \p method, in seconds.
std::vector<double> judged(const Recording& recording, const measure::Estimator& method,
                           const std::map<std::string, std::string>& options);

}  // namespace adcl::replay
