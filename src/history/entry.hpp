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

/// Version of the file format; readers ignore other versions.
inline constexpr int schema = 1;

/// Identifies a problem in this run and in other runs.
struct Identity {
  std::string function_set;
  std::uint64_t problem = 0;  ///< sum over all ranks of the hash of rank and signature
  std::string processor;      ///< model name on the node that stores the entry
  bool barrier = false;       ///< the ranks synchronize before each measurement, which changes the times
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
  double judged_s = 0.0;  ///< seconds used to compare candidates; excludes disturbances, unlike `numbers`
};

/// The decision for one mode.
struct Decision {
  std::string winner;
  double winner_s = 0.0;            ///< seconds, by the method `outliers`
  std::string reason;               ///< why it won
  std::string search;               ///< the selection logic
  std::string outliers;             ///< the statistical method
  std::vector<Estimate> estimates;  ///< all measured candidates, including the winner
  std::string decided;              ///< UTC: 2026-11-23T22:40:11Z
  std::string confirmed;            ///< UTC of the last confirmation; empty: never confirmed
  std::int64_t decisions = 1;       ///< number of runs that searched and decided
  std::int64_t confirmations = 0;   ///< number of runs in which the winner kept its time
  std::string version;              ///< library version of the decision
  /// Candidates excluded by the advice of similar problems: expected time relative to the winner.
  std::map<std::string, double> expected;
  /// Candidates neither tried nor ruled out, because a trial was not worth its cost: logarithm of the search's estimate
  /// divided by the prior, both relative to the winner.
  std::map<std::string, double> untried;
};

/// The stored results for one problem.
struct Entry {
  Identity identity;
  std::string problem;                        ///< description for reports
  Features features;                          ///< rank 0's
  std::map<std::string, Decision> decisions;  ///< by mode
};

/// How a decision was reached.
enum class Outcome {
  decided,   ///< a search measured the candidates; replaces the stored decision
  refined,   ///< like `decided`, but the same search has already stored a decision, so the count does not increase
  confirmed  ///< the stored winner kept its time; increases only the count of confirmations
};

/// Adds \p decision for \p mode to \p entry.
void add_decision(Entry& entry, const std::string& mode, Decision decision, Outcome outcome);

/// Returns a JSON document with a newline. from_text() restores all numbers exactly.
std::string to_text(const Entry& entry);

/// Throws Error(file) if \p text is not a complete entry of this schema.
Entry from_text(const std::string& text);

}  // namespace adcl::history
