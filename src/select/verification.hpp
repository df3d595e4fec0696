/// \file verification.hpp
/// Verifies earlier results: if the earlier winner keeps its time, it wins again; otherwise a search begins. Pure.
///
/// The winner of the earlier results, or the fastest candidate if no winner is given, runs three warm-ups and at most
/// five measured executions. It keeps its time if its shortest new time exceeds the earlier time by at most a tenth
/// plus twice the standard error of the difference of the means. A disturbance of some executions does not affect the
/// shortest time. A winner that became faster also keeps its time. The earlier results of the other candidates remain
/// valid, and so does the winner's earlier time if some new times are longer.
///
/// Recheck::another_run: the earlier results come from a warmed-up program, but the first executions of a program are
/// slow. So the winner also wins if it takes at most 1.5 times its earlier time, and less than every other measured
/// candidate. If it takes less than a tenth of its stored time, the stored times are wrong or come from another state
/// of the machine. Then a search begins without the earlier times.
///
/// Recheck::faster: the earlier results may come from a disturbed machine. If the winner became faster by a quarter, a
/// search begins without the earlier times.
///
/// In all other cases, the search that begins discards the earlier results, but uses the earlier times as priors. If
/// the winner is dropped during the verification, the next fastest candidate is verified. Earlier results without any
/// measurement are ignored.
///
/// All ranks take the same branch, because the earlier results and the reduced numbers are the same on all ranks.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "select/staged_search.hpp"

namespace adcl::select {

/// Executions before the first measured execution, since the first executions of a program are slow.
inline constexpr int verification_warm_ups = 3;
/// Largest number of measured executions.
inline constexpr int verification_measurements = 5;

/// Converts results to earlier results for Verification: the judged time as the mean, and the spread, at most half of
/// that time. All numbers are 0 if the candidate was not measured.
measure::Numbers as_prior(const Knowledge& known);

/// Why a former winner is re-checked.
enum class Recheck {
  another_run,  ///< its results come from another run
  slower,       ///< its starts became slower
  faster        ///< its starts became faster
};

class Verification final : public StagedSearch {
 public:
  /// \p prior has the earlier results, one entry per candidate. \p make creates the search that begins if the
  /// verification fails, from the candidates with their priors. \p former_winner is verified if it has results and was
  /// not dropped; -1: the fastest candidate. Throws Error(argument) for a \p prior of another length.
  Verification(const std::vector<Candidate>& candidates, const AttributeSet& attributes, const Parameters& parameters,
               std::span<const measure::Numbers> prior,
               std::function<std::unique_ptr<Search>(std::vector<Candidate>)> make, Recheck cause,
               int former_winner = -1);

  [[nodiscard]] const std::optional<Verdict>& verdict() const override { return stage().verdict(); }
  [[nodiscard]] const std::optional<Verdict>& provisional() const override { return stage().provisional(); }
  [[nodiscard]] const std::vector<Knowledge>& knowledge() const override { return stage().knowledge(); }
  /// Whether the verified candidate has won.
  [[nodiscard]] bool held() const;
  /// Whether the verification has failed and a search has begun.
  [[nodiscard]] bool failed() const noexcept { return check_ == nullptr; }

 private:
  class Check;
  void follow() override;

  const Check* check_;  ///< the first stage; null after its end
  std::function<std::unique_ptr<Search>(std::vector<Candidate>)> make_;
};

}  // namespace adcl::select
