/// \file search.hpp
/// Selection logic: a pure state machine that says what is measured next and who wins. It never sees MPI or a clock,
/// so it is tested with scripted times, replayed from traces and called from Python.
///
/// All ranks hold the same search and make the same calls of next() and absorb(); record() differs in its times only.
/// Everything a search decides depends on absorbed numbers, which are the same on all ranks, and on the number of
/// next() calls: that is why all ranks take the same branch (design rule 1).
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

/// Which codelet an operation runs, taken when it starts. slot < 0: the search does not want its time.
struct Ticket {
  int candidate = 0;
  int slot = -1;
  long long start = 0;  ///< number of the start it was taken for, of the caller's; searches leave it alone
  bool meets = false;   ///< the ranks wait for each other before the operation
};

struct Candidate {
  std::string name;
  std::vector<int> attributes;  ///< one value per attribute, or not_applicable
  Expectation expected{};       ///< the same on all ranks
};

struct Parameters {
  const measure::Estimator* estimator = nullptr;  ///< null: the first method, the plain mean
  OptionValues options;                           ///< of the logic's row and the estimator's, the same on all ranks
  bool common_clock = false;                      ///< record() is told moments on a clock that the ranks share
  bool whole_blocks = false;                      ///< ranks run ahead of each other: batch_times.hpp
};

/// What searches of similar problems that run at the same time have measured of a candidate.
struct Told {
  /// Natural logarithm of how many times as long as expected it takes, where what took the least there takes as long as
  /// expected; NaN: nothing was measured.
  double beyond = std::numeric_limits<double>::quiet_NaN();
  double error = 0.0;  ///< standard deviation of that, as far as it holds for this problem
};

/// The end of a search.
struct Verdict {
  int winner = 0;
  std::string reason;     ///< one sentence for reports and traces: why the winner won
  std::vector<int> ties;  ///< candidates that the measurements do not separate from the winner, in the table's order
};

/// What is known of one candidate after the last absorb().
struct Knowledge {
  measure::Numbers numbers;  ///< reduced over the ranks; measurements == 0: not measured
  double judged_s = 0.0;     ///< the estimator's judgement; infinity when not measured
  std::string removed;       ///< why the search no longer considers it; empty: it does
};

/// Why a candidate that nothing is known of has not won.
inline constexpr const char* not_tried = "not measured before the search ended";

inline const std::optional<Verdict>& no_verdict() {
  static const std::optional<Verdict> none;
  return none;
}

/// Contract of every selection logic.
///
/// Cycle: next() hands out the tickets of a batch; when the batch is exhausted, ready() is true and next() returns the
/// incumbent without a slot. The caller reduces pending() over the ranks and passes the result to absorb(), which
/// starts the next batch or reaches a verdict. From then on next() returns the winner without a slot.
class Search {
 public:
  virtual ~Search() = default;

  /// What the next operation runs.
  virtual Ticket next() = 0;
  /// Takes the tickets that follow and are as the last one, which had no slot: the same candidate, and no slot. How
  /// many they are; they need not be asked for one by one.
  virtual int skip() { return 0; }
  /// The time of an operation; ignored for a slot < 0. A ticket whose time never comes counts as not measured, and a
  /// candidate without any measurement on some rank is measured again in the next batch. \p left_s: when it was
  /// complete, on the clock that the ranks share; NaN where that is not known. False: it came too late, or is no time,
  /// and is not used.
  virtual bool record(const Ticket& ticket, double seconds, double left_s) = 0;
  bool record(const Ticket& ticket, double seconds) {
    return record(ticket, seconds, std::numeric_limits<double>::quiet_NaN());
  }
  /// What a start cost on this rank, of whatever ticket: an execution, or what was done before it, as making the plan.
  /// For searches that weigh what trying costs; others ignore it.
  virtual void spend(int /*candidate*/, double /*seconds*/) {}
  /// Replaces the time of a ticket recorded before; false when it is not used any more.
  virtual bool amend(const Ticket& ticket, double seconds) = 0;
  /// True when all tickets of the batch were handed out and its numbers are to be reduced.
  [[nodiscard]] virtual bool ready() const = 0;
  /// Numbers of this rank for each member of the batch, to be combined element by element with MAX over the ranks
  /// (what needs a minimum is negated). The same length on all ranks.
  [[nodiscard]] virtual std::vector<double> pending() const = 0;
  /// Takes the combined numbers, in the layout of pending().
  virtual void absorb(std::span<const double> reduced) = 0;
  /// A candidate whose plan could not be made on some rank; called by all ranks at the same point, never for the last
  /// one that is left. Tickets of it that were handed out are void. When it was the fastest known one, the next in
  /// speed is considered again even if the evidence had removed it; when it had won, the verdict changes.
  virtual void drop(int candidate, const std::string& reason) = 0;
  /// What similar problems tell by now, one entry per candidate, instead of what was told before; used from the next
  /// absorb() on. By all ranks at the same point, and the same. False: it takes no notice, as searches without
  /// expectations, and those that earlier knowledge leads.
  virtual bool advise(std::span<const Told> /*told*/) { return false; }
  /// Knowledge from an earlier search: candidates with measurements > 0 are not measured again. Before the first
  /// next().
  virtual void prime(std::span<const measure::Numbers> known) = 0;
  [[nodiscard]] virtual const std::optional<Verdict>& verdict() const = 0;
  /// Before the verdict: what it would be if the program were not to run much longer. From then on the search tries
  /// only what pays in a program that has turned out to be long; the winner may change. Most searches have none.
  [[nodiscard]] virtual const std::optional<Verdict>& provisional() const { return no_verdict(); }
  [[nodiscard]] virtual const std::vector<Knowledge>& knowledge() const = 0;
  /// Natural logarithm of the time that a candidate is believed to take that was not measured; NaN: nothing is
  /// believed.
  [[nodiscard]] virtual double believed(int /*candidate*/) const { return std::numeric_limits<double>::quiet_NaN(); }
};

/// The verdict, else the provisional one.
inline const std::optional<Verdict>& standing(const Search& search) {
  return search.verdict().has_value() ? search.verdict() : search.provisional();
}

/// One selection logic: one file, which exports its row, and one line in table.cpp.
struct Logic {
  std::string name;
  std::string summary;
  std::string source;
  std::vector<Option> options;  ///< what it reads by name
  std::unique_ptr<Search> (*make)(std::vector<Candidate> candidates, const AttributeSet& attributes,
                                  const Parameters& parameters);
  bool uses_expectations = false;  ///< it reads Candidate::expected
};

/// All selection logics.
std::span<const Logic> table();

/// The logic of that name; throws Error(option) with the nearest name.
const Logic& find(const std::string& name);

}  // namespace adcl::select
