/// \file guided.hpp
/// A search that is guided by the results of similar problems: it tries only candidates that may win according to these
/// results. Pure.
///
/// The advice is an expected relative time for each candidate: 1 for the fastest, 2.3 for a candidate expected to take
/// 2.3 times as long, infinity for a candidate that was ruled out, NaN if unknown. A selection logic searches these
/// candidates:
/// - the expected winner, and candidates within a tenth of its time (three in total);
/// - all candidates without advice;
/// - for comparison, the first candidate of the table, unless it is expected to take more than three times as long;
/// - the next fastest candidate, if only one candidate would be left.
/// No plan is made for other candidates.
///
/// For a logic that uses priors, the advice replaces the library's priors. A candidate without advice keeps its prior,
/// plus a correction: ln(its time as estimated in similar problems / its prior), both relative to the winner.
///
/// The verdict holds if the measurements agree with the advice: no candidate took less than 2/3 or more than 3 times
/// its expected time relative to the expected winner. The upper bound is wide, since disturbances make times longer,
/// and a slow candidate is measured only a few times. If they disagree, or if no advised candidate can run, the advice
/// is dropped, and a search of all candidates begins without it.
///
/// All ranks take the same branch, because the advice and the reduced numbers are the same on all ranks.
///
/// Source: thesis section 3.3.3.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "select/staged_search.hpp"

namespace adcl::select {

/// Returns the indices of the advised candidates (see above) in table order; all if no relative time is finite.
std::vector<int> worth_trying(std::span<const double> relative);

class Guided final : public StagedSearch {
 public:
  /// Creates a search of \p candidates.
  using Make = std::function<std::unique_ptr<Search>(std::vector<Candidate> candidates)>;

  /// \p relative and \p corrections have one entry per candidate; \p corrections may also be empty. Throws
  /// Error(argument) for other lengths.
  Guided(std::vector<Candidate> candidates, std::vector<double> relative, std::vector<double> corrections, Make make);

  [[nodiscard]] const std::optional<Verdict>& verdict() const override { return verdict_; }
  [[nodiscard]] const std::optional<Verdict>& provisional() const override { return provisional_; }
  [[nodiscard]] const std::vector<Knowledge>& knowledge() const override { return knowledge_; }
  [[nodiscard]] double estimated_log_time(int candidate) const override;
  /// The expected relative time of a candidate that the advice excludes; NaN for other candidates.
  [[nodiscard]] double excluded_ratio(int candidate) const;
  /// Whether the advice is still in use.
  [[nodiscard]] bool advised() const noexcept { return contradiction_.empty(); }
  /// Why the advice was dropped; empty: it is still in use.
  [[nodiscard]] const std::string& contradiction() const noexcept { return contradiction_; }

 private:
  void follow() override;
  void begin_stage(std::vector<int> members);
  [[nodiscard]] double offset_of_expectations(std::span<const int> members) const;
  [[nodiscard]] Candidate with_advice(int member, int expected_winner, double offset) const;
  [[nodiscard]] bool is_rated(int member) const {
    return drop_reason(member).empty() && std::isfinite(relative_[at(member)]);
  }
  [[nodiscard]] int expected_winner(std::span<const int> members) const;
  [[nodiscard]] std::string find_contradiction() const;
  [[nodiscard]] bool leaves_out() const { return members().size() < candidates_.size(); }
  void copy_results();
  [[nodiscard]] std::optional<Verdict> of_all_candidates(std::optional<Verdict> verdict) const;

  std::vector<Candidate> candidates_;
  std::vector<double> relative_;
  std::vector<double> corrections_;
  Make make_;
  bool accepted_ = false;  ///< the first verdict or provisional verdict agreed with the advice
  std::string contradiction_;
  std::vector<Knowledge> knowledge_;
  std::optional<Verdict> verdict_;
  std::optional<Verdict> provisional_;
};

}  // namespace adcl::select
