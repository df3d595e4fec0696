/// \file search.hpp
/// Selection logic: a pure state machine that selects the next candidate to measure, and the winner. It uses neither
/// MPI nor a clock, so tests run it with scripted times, and `adcl replay` with the times of traces.
///
/// All ranks hold the same search and make the same calls; only the times passed to record() and spend() differ. Every
/// decision depends only on absorbed numbers and on the number of next() calls, which are the same on all ranks. So all
/// ranks take the same branch (design rule 1).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/attribute.hpp"
#include "core/expectation.hpp"
#include "core/option.hpp"
#include "measure/estimator.hpp"
#include "select/at.hpp"

namespace adcl::select {

/// Assigns a candidate to an operation when it starts.
struct Ticket {
  int candidate = 0;
  int slot = -1;              ///< sample of the search; negative: the search ignores the time
  long long start = 0;        ///< number of the start, for the caller; searches ignore it
  bool synchronizes = false;  ///< the ranks synchronize before the operation
};

struct Candidate {
  std::string name;
  std::vector<int> attributes;  ///< one value per attribute, or not_applicable
  Expectation expected{};       ///< the same on all ranks
};

struct Parameters {
  const measure::Estimator* estimator = &measure::table().front();
  OptionValues options;       ///< options of the logic and the estimator; the same on all ranks
  bool common_clock = false;  ///< record() receives completion times on a clock that the ranks share
  bool whole_blocks = false;  ///< ranks run ahead of each other, see batch_times.hpp
};

/// A candidate's measurements by concurrent searches of similar problems.
struct PeerMeasurement {
  /// Natural logarithm of the measured time divided by the prior, both relative to the fastest measured candidate; NaN:
  /// not measured.
  double log_excess = unknown;
  double error = 0.0;  ///< standard deviation of `log_excess` as an estimate for this problem
};

/// The result of a search.
struct Verdict {
  int winner = 0;
  std::string reason;     ///< a sentence for reports and traces
  std::vector<int> ties;  ///< candidates that the measurements do not separate from the winner, in table order
};

/// The results of one candidate after the last absorb().
struct Knowledge {
  measure::Numbers numbers;    ///< reduced over the ranks; measurements == 0: not measured
  double judged_s = infinity;  ///< judged time in seconds; infinity: not measured
  std::string removed;         ///< why the search excludes the candidate; empty: it is active
};

/// Knowledge::removed of an active candidate without measurements, after the verdict.
inline constexpr const char* not_tried = "not measured before the search ended";

/// Contract of every selection logic.
///
/// Cycle: next() returns the tickets of a batch. After the last ticket, ready() is true, and next() returns the best
/// candidate so far without a slot. The caller reduces pending() over the ranks and passes the result to absorb(),
/// which starts the next batch or ends with a verdict. After the verdict, next() returns the winner without a slot.
class Search {
 public:
  virtual ~Search() = default;

  /// Returns the ticket of the next operation.
  virtual Ticket next() = 0;
  /// If the last ticket had no slot, takes all following tickets that are equal to it, and returns their number, so
  /// that the caller can skip calls of next().
  virtual int skip() { return 0; }
  /// Records the time of an operation. \p left_s: completion time on the clock that the ranks share; NaN: unknown.
  /// Returns false if the search does not use the time, because the time is late or invalid, or because the ticket has
  /// no slot. A candidate without any measurement on some rank is measured again in the next batch.
  virtual bool record(const Ticket& ticket, double seconds, double left_s) = 0;
  bool record(const Ticket& ticket, double seconds) { return record(ticket, seconds, unknown); }
  /// Adds the cost of a start on this rank, with or without a slot: its execution, or its preparation, such as creating
  /// the plan. Used by searches that weigh the cost of trials.
  virtual void spend(int /*candidate*/, double /*seconds*/) {}
  /// Replaces the recorded time of a ticket. Returns false if the ticket's time is not used.
  virtual bool amend(const Ticket& ticket, double seconds) = 0;
  /// Whether all tickets of the batch were handed out, so that its numbers can be reduced.
  [[nodiscard]] virtual bool ready() const = 0;
  /// Numbers of this rank for the batch, to reduce element by element with MAX over the ranks. The same length on all
  /// ranks.
  [[nodiscard]] virtual std::vector<double> pending() const = 0;
  /// Absorbs the reduced values of pending().
  virtual void absorb(std::span<const double> reduced) = 0;
  /// Drops a candidate whose plan could not be created on some rank. Its tickets become invalid. If it was the fastest
  /// measured candidate, the next fastest becomes active again, even if it was removed. If it had won, the verdict
  /// changes. All ranks call it at the same point, and not for the last remaining candidate.
  virtual void drop(int candidate, const std::string& reason) = 0;
  /// Replaces the measurements of similar problems, one entry per candidate; used from the next absorb() on. All ranks
  /// call it at the same point with the same values. Returns false if the search ignores them: searches without priors,
  /// and searches guided by earlier results.
  virtual bool set_peer_measurements(std::span<const PeerMeasurement> /*measurements*/) { return false; }
  /// Takes the results of an earlier search; candidates with measurements are not measured again. Call before next().
  virtual void prime(std::span<const measure::Numbers> known) = 0;
  [[nodiscard]] virtual const std::optional<Verdict>& verdict() const = 0;
  /// The provisional verdict: from then on, the search runs only trials that are worth their cost in a long program.
  /// The winner may change. Most searches have no provisional verdict.
  [[nodiscard]] virtual const std::optional<Verdict>& provisional() const {
    static const std::optional<Verdict> none;
    return none;
  }
  [[nodiscard]] virtual const std::vector<Knowledge>& knowledge() const = 0;
  /// Natural logarithm of the estimated seconds of an unmeasured candidate; NaN: no estimate.
  [[nodiscard]] virtual double estimated_log_time(int /*candidate*/) const { return unknown; }
};

/// Returns the verdict, or else the provisional verdict.
inline const std::optional<Verdict>& standing(const Search& search) {
  return search.verdict().has_value() ? search.verdict() : search.provisional();
}

/// A selection logic. Each logic has one file, which exports its row, and one line in table.cpp.
struct Logic {
  std::string name;
  std::string summary;
  std::string source;
  std::vector<Option> options;  ///< the options that the logic reads
  std::unique_ptr<Search> (*make)(std::vector<Candidate> candidates, const AttributeSet& attributes,
                                  const Parameters& parameters);
  bool uses_expectations = false;  ///< reads Candidate::expected
};

/// All selection logics.
std::span<const Logic> table();

/// Returns the logic \p name. Throws Error(option) for an unknown name, and suggests the most similar one.
const Logic& find(const std::string& name);

}  // namespace adcl::select
