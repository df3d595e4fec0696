/// \file search.hpp
/// Selection logic: a pure state machine that decides what is measured next and who wins. It uses neither MPI nor a
/// clock, so it is tested with scripted times, replayed from traces, and called from Python.
///
/// All ranks hold the same search and make the same calls of next() and absorb(); only the times in record() differ.
/// All decisions of a search depend on absorbed numbers, which are the same on all ranks, and on the number of next()
/// calls. So all ranks take the same branch (design rule 1).
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/attribute.hpp"
#include "core/expectation.hpp"
#include "core/option.hpp"
#include "measure/estimator.hpp"

namespace adcl::select {

/// The codelet that an operation runs, taken when it starts. slot < 0: the search ignores its time.
struct Ticket {
  int candidate = 0;
  int slot = -1;
  long long start = 0;  ///< the caller's number of the start; searches ignore it
  bool meets = false;   ///< the ranks synchronize before the operation
};

struct Candidate {
  std::string name;
  std::vector<int> attributes;  ///< one value per attribute, or not_applicable
  Expectation expected{};       ///< the same on all ranks
};

struct Parameters {
  const measure::Estimator* estimator = nullptr;  ///< null: the first method, the plain mean
  OptionValues options;                           ///< those of the logic and the estimator, the same on all ranks
  bool common_clock = false;  ///< record() receives completion times on a clock that the ranks share
  bool whole_blocks = false;  ///< ranks run ahead of each other: batch_times.hpp
};

/// Measurements of a candidate by searches of similar problems that run at the same time.
struct Told {
  /// Natural logarithm of the measured over the expected time, both relative to the fastest candidate there; NaN: not
  /// measured.
  double beyond = std::numeric_limits<double>::quiet_NaN();
  double error = 0.0;  ///< standard deviation of `beyond` as an estimate for this problem
};

/// The result of a search.
struct Verdict {
  int winner = 0;
  std::string reason;     ///< one sentence for reports and traces: why the winner won
  std::vector<int> ties;  ///< candidates that the measurements do not separate from the winner, in table order
};

/// The results of one candidate after the last absorb().
struct Knowledge {
  measure::Numbers numbers;  ///< reduced over the ranks; measurements == 0: not measured
  double judged_s = 0.0;     ///< the estimator's judgement; infinity: not measured
  std::string removed;       ///< why the search excludes it; empty: it is active
};

/// Why a candidate without results has not won.
inline constexpr const char* not_tried = "not measured before the search ended";

inline const std::optional<Verdict>& no_verdict() {
  static const std::optional<Verdict> none;
  return none;
}

/// Contract of every selection logic.
///
/// Cycle: next() hands out the tickets of a batch. When the batch is exhausted, ready() is true and next() returns the
/// incumbent without a slot. The caller reduces pending() over the ranks and passes the result to absorb(), which
/// starts the next batch or reaches a verdict. From then on, next() returns the winner without a slot.
class Search {
 public:
  virtual ~Search() = default;

  /// Returns the ticket of the next operation.
  virtual Ticket next() = 0;
  /// If the last ticket had no slot: takes the next tickets that equal it, and returns their number. The caller need
  /// not request them one by one.
  virtual int skip() { return 0; }
  /// Records the time of an operation; ignored for a slot < 0. A ticket without a time counts as not measured, and a
  /// candidate without any measurement on some rank is measured again in the next batch. \p left_s: completion time on
  /// the clock that the ranks share; NaN: unknown. Returns false if the time is too late or invalid, and not used.
  virtual bool record(const Ticket& ticket, double seconds, double left_s) = 0;
  bool record(const Ticket& ticket, double seconds) {
    return record(ticket, seconds, std::numeric_limits<double>::quiet_NaN());
  }
  /// Adds what a start cost on this rank, with or without a slot: an execution, or its preparation, such as making the
  /// plan. For searches that weigh the cost of trials; others ignore it.
  virtual void spend(int /*candidate*/, double /*seconds*/) {}
  /// Replaces the recorded time of a ticket. Returns false if it is no longer used.
  virtual bool amend(const Ticket& ticket, double seconds) = 0;
  /// True if all tickets of the batch were handed out and its numbers must be reduced.
  [[nodiscard]] virtual bool ready() const = 0;
  /// Numbers of this rank for each member of the batch, to reduce element by element with MAX over the ranks (minima
  /// are negated). The same length on all ranks.
  [[nodiscard]] virtual std::vector<double> pending() const = 0;
  /// Takes the reduced numbers, in the layout of pending().
  virtual void absorb(std::span<const double> reduced) = 0;
  /// Drops a candidate whose plan could not be made on some rank. All ranks call it at the same point, never for the
  /// last remaining candidate. Its tickets become void. If it was the fastest known candidate, the next fastest becomes
  /// active again, even if the evidence had removed it. If it had won, the verdict changes.
  virtual void drop(int candidate, const std::string& reason) = 0;
  /// Replaces the measurements of similar problems, one entry per candidate; used from the next absorb() on. All ranks
  /// call it at the same point with the same values. Returns false if the search ignores them: searches without
  /// expectations, and searches that earlier results guide.
  virtual bool advise(std::span<const Told> /*told*/) { return false; }
  /// Results of an earlier search: candidates with measurements > 0 are not measured again. Before the first next().
  virtual void prime(std::span<const measure::Numbers> known) = 0;
  [[nodiscard]] virtual const std::optional<Verdict>& verdict() const = 0;
  /// Before the verdict: the verdict if the program ended soon. From then on, the search runs only trials that pay in a
  /// long program; the winner may change. Most searches have none.
  [[nodiscard]] virtual const std::optional<Verdict>& provisional() const { return no_verdict(); }
  [[nodiscard]] virtual const std::vector<Knowledge>& knowledge() const = 0;
  /// Natural logarithm of the estimated time of a candidate that was not measured; NaN: no estimate.
  [[nodiscard]] virtual double believed(int /*candidate*/) const { return std::numeric_limits<double>::quiet_NaN(); }
};

/// The verdict, or else the provisional one.
inline const std::optional<Verdict>& standing(const Search& search) {
  return search.verdict().has_value() ? search.verdict() : search.provisional();
}

/// One selection logic: one file, which exports its row, and one line in table.cpp.
struct Logic {
  std::string name;
  std::string summary;
  std::string source;
  std::vector<Option> options;  ///< the options that it reads by name
  std::unique_ptr<Search> (*make)(std::vector<Candidate> candidates, const AttributeSet& attributes,
                                  const Parameters& parameters);
  bool uses_expectations = false;  ///< it reads Candidate::expected
};

/// All selection logics.
std::span<const Logic> table();

/// The logic of that name; throws Error(option) with the nearest name.
const Logic& find(const std::string& name);

}  // namespace adcl::select
