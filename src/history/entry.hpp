/// \file entry.hpp
/// What was learnt about one problem, and the text it is stored as. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/problem.hpp"
#include "measure/estimator.hpp"

namespace adcl::history {

/// Version of the files; a reader leaves those of another one alone.
inline constexpr int schema = 1;

/// What makes two problems exactly the same, in this run and in others.
struct Identity {
  std::string function_set;
  std::uint64_t problem = 0;  ///< the sum over all ranks of what rank and signature hash to
  std::string processor;      ///< of the node where the knowledge is stored
  bool barrier = false;       ///< ranks met before each measurement: the times are other ones
  std::vector<std::string> candidates;

  /// Of all of the above.
  [[nodiscard]] std::uint64_t hash() const;
  /// hash() as 16 hexadecimal digits.
  [[nodiscard]] std::string word() const;
};

/// A candidate that was measured.
struct Estimate {
  std::string codelet;
  measure::Numbers numbers;
  double judged_s = 0.0;  ///< what the search took it to be; beside disturbances that the numbers have in them
  bool operator==(const Estimate&) const;
};

/// What was decided for one way of using requests.
struct Decision {
  std::string winner;
  double winner_s = 0.0;            ///< judged by `outliers`
  std::string reason;               ///< why it won
  std::string search;               ///< the selection logic
  std::string outliers;             ///< the statistical method
  std::vector<Estimate> estimates;  ///< of all candidates that were measured, the winner among them
  std::string decided;              ///< when, in UTC: 2026-11-23T22:40:11Z
  std::string confirmed;            ///< when a run found the winner as it was, for the last time; empty: never
  std::int64_t decisions = 1;       ///< how many runs searched and decided
  std::int64_t confirmations = 0;   ///< how many runs found the winner as it was
  std::string version;              ///< of the library that decided
  /// On the advice of similar problems: candidates that were not tried, and how many times the winner's time they were
  /// expected to take.
  std::map<std::string, double> expected;
  /// Candidates that the search had neither tried nor ruled out when it decided, since trying them was not worth it by
  /// then, and as a logarithm how much longer than the library expects anywhere it believed that they take, relative to
  /// the winner.
  std::map<std::string, double> untried;
  bool operator==(const Decision&) const;
};

/// Everything that is known of one problem.
struct Entry {
  Identity identity;
  std::string problem;                        ///< in words
  Features features;                          ///< rank 0's
  std::map<std::string, Decision> decisions;  ///< by the way of use
};

/// How a decision came about.
enum class Outcome {
  decided,   ///< a search has measured the candidates: what was stored of this way of use is replaced
  refined,   ///< the same, by a search that was counted already when it was stored
  confirmed  ///< the stored winner was found as it was: this is counted, all else stays
};

/// Adds \p decision for \p mode to what is known.
void note(Entry& entry, const std::string& mode, Decision decision, Outcome outcome);

/// JSON, one document with a newline at the end. Numbers come back as they were, to the last bit.
std::string to_text(const Entry& entry);

/// Throws Error(file) with what is wrong when \p text is not the whole of an entry of this schema.
Entry from_text(const std::string& text);

}  // namespace adcl::history
