/// \file entry.hpp
/// The stored results for one problem, and their text format. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/problem.hpp"
#include "measure/estimator.hpp"

namespace adcl::history {

/// Version of the files; readers ignore files of other versions.
inline constexpr int schema = 1;

/// Two problems are the same, in this run and in others, if their identities are equal.
struct Identity {
  std::string function_set;
  std::uint64_t problem = 0;  ///< sum over all ranks of the hash of rank and signature
  std::string processor;      ///< of the node that stores the entry
  bool barrier = false;       ///< ranks synchronize before each measurement, which changes the times
  std::vector<std::string> candidates;

  /// Hash of all members.
  [[nodiscard]] std::uint64_t hash() const;
  /// hash() as 16 hexadecimal digits.
  [[nodiscard]] std::string word() const;
};

/// A measured candidate.
struct Estimate {
  std::string codelet;
  measure::Numbers numbers;
  double judged_s = 0.0;  ///< time by which the search judged it; without disturbances that `numbers` contains
};

/// The decision for one mode.
struct Decision {
  std::string winner;
  double winner_s = 0.0;            ///< judged by `outliers`
  std::string reason;               ///< why it won
  std::string search;               ///< the selection logic
  std::string outliers;             ///< the statistical method
  std::vector<Estimate> estimates;  ///< of all measured candidates, including the winner
  std::string decided;              ///< UTC: 2026-11-23T22:40:11Z
  std::string confirmed;            ///< when a run last found that the winner keeps its time; empty: never
  std::int64_t decisions = 1;       ///< number of runs that searched and decided
  std::int64_t confirmations = 0;   ///< number of runs that found that the winner keeps its time
  std::string version;              ///< of the library that decided
  /// Candidates not tried on the advice of similar problems: expected time, relative to the winner.
  std::map<std::string, double> expected;
  /// Candidates neither tried nor ruled out, because a trial was not worth its cost: logarithm of the time that the
  /// search estimated over the time that the library expects, both relative to the winner.
  std::map<std::string, double> untried;
};

/// The stored results for one problem.
struct Entry {
  Identity identity;
  std::string problem;                        ///< in words
  Features features;                          ///< rank 0's
  std::map<std::string, Decision> decisions;  ///< by mode
};

/// How a decision was reached.
enum class Outcome {
  decided,   ///< a search measured the candidates: replaces the stored decision
  refined,   ///< the same, by a search whose earlier decision was stored and counted
  confirmed  ///< the stored winner has kept its time: only counts the confirmation
};

/// Adds \p decision for \p mode to \p entry.
void note(Entry& entry, const std::string& mode, Decision decision, Outcome outcome);

/// A JSON document and a newline. from_text() restores numbers exactly.
std::string to_text(const Entry& entry);

/// Throws Error(file) if \p text is not a complete entry of this schema.
Entry from_text(const std::string& text);

}  // namespace adcl::history
