/// \file verification.hpp
/// Verifies earlier results: checks whether their winner keeps its time. If so, it wins again; if not, a search begins.
/// Pure.
///
/// The winner of the earlier results, or without a winner the fastest candidate, runs three executions that do not
/// count and at most five that do. It has kept its time if the shortest of the new times exceeds the earlier time by at
/// most a tenth plus twice the standard error of the difference of the two means: a disturbance of some of five
/// executions says nothing about the codelet. A winner that became faster has kept its time, too. The earlier results
/// of the other candidates remain, and so does the winner's own earlier time if some of the new ones are longer.
///
/// Results of another run (Recheck::another_run) come from a warmed-up program, and the first executions of a program
/// all take longer. So a winner also holds if it takes at most 1.5 times its earlier time, and less than every other
/// measured candidate: it would win. A winner that takes less than a tenth of its stored time does not hold: the stored
/// times come from another state of the machine, or are wrong, and the search that begins does not expect them.
///
/// Earlier results may come from a disturbed machine (Recheck::faster). Then a winner that became faster by a quarter
/// has not kept its time, and the search that begins does not expect the earlier times.
///
/// If the winner has not kept its time, the earlier results belong to another state of the machine and are discarded:
/// the search begins without them, except that a search with expectations expects the earlier times. If the winner is
/// dropped before, the next fastest candidate is verified instead. Earlier results without any measurement are ignored.
///
/// All ranks take the same branch: the earlier results are the same on all ranks, and the new numbers were reduced.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "select/staged_search.hpp"

namespace adcl::select {

/// Executions that do not count, before those that do: the first executions of a program are slow.
inline constexpr int verification_warm_ups = 3;
/// Most executions that count.
inline constexpr int verification_measurements = 5;

/// A candidate's results as a prior: its judged time, whatever disturbances its measurements contain, and its spread,
/// at most half of that time. Not measured: all 0.
measure::Numbers as_prior(const Knowledge& known);

/// Why a former winner is re-checked.
enum class Recheck {
  another_run,  ///< they are from another run of the program, or from another program
  slower,       ///< starts take longer than before
  faster        ///< starts take less time than before
};

class Verification final : public StagedSearch {
 public:
  /// \p make makes the search that begins if the prior does not hold, with the same parameters and the same candidates,
  /// whose expectations are the times known by then.
  /// \p prior has one entry per candidate. \p former_winner is verified if it is known and can run; -1: the fastest
  /// candidate. Throws Error(argument) for a prior of another length.
  Verification(const std::vector<Candidate>& candidates, const AttributeSet& attributes, const Parameters& parameters,
               std::span<const measure::Numbers> prior,
               std::function<std::unique_ptr<Search>(std::vector<Candidate>)> make, Recheck cause,
               int former_winner = -1);

  [[nodiscard]] const std::optional<Verdict>& verdict() const override { return stage().verdict(); }
  [[nodiscard]] const std::optional<Verdict>& provisional() const override { return stage().provisional(); }
  [[nodiscard]] const std::vector<Knowledge>& knowledge() const override { return stage().knowledge(); }
  /// The verified candidate has won because it has kept its time.
  [[nodiscard]] bool held() const;
  /// The earlier results do not hold: a search has begun.
  [[nodiscard]] bool failed() const noexcept { return check_ == nullptr; }

 private:
  class Check;
  void follow() override;

  const Check* check_;  ///< the stage; null when the search has begun
  std::function<std::unique_ptr<Search>(std::vector<Candidate>)> make_;
};

}  // namespace adcl::select
