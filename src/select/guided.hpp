/// \file guided.hpp
/// A search with the advice of similar problems: it tries only candidates that may win according to them. Pure.
///
/// Each candidate has an expected relative time: 1 for the fastest, 2.3 for one that is expected to take 2.3 times as
/// long, infinity for one that was ruled out there, NaN if nothing is known. A selection logic searches the candidates
/// that are worth trying: the expected winner, candidates expected within a tenth of it (three in all), all without
/// advice, and for comparison the first of the table, unless that is expected to be hopeless. If only one candidate
/// would be left, the next fastest is added for comparison. No plan of any other candidate is made. For a logic that
/// uses expectations,
/// the advice replaces the library's expectations. A candidate without advice keeps the library's expectation, with a
/// correction from the searches of similar problems: the logarithm of how much longer than expected they estimate it to
/// take, relative to the winner.
///
/// The verdict holds if the measurements agree with the advice: no candidate took less than 2/3, or more than 3 times,
/// its expected time relative to the expected winner. (The upper bound is wide, since disturbances make times longer
/// and a slow candidate is measured a few times only.) If they disagree, or if none of these candidates can run, the
/// advice is dropped, and a search of all candidates begins without it.
///
/// All ranks take the same branch: the advice is the same on all ranks, and it is compared with reduced numbers.
///
/// Source: thesis section 3.3.3.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "select/staged_search.hpp"

namespace adcl::select {

/// Indices of the candidates that are worth trying, in table order; all candidates if no relative time is finite.
std::vector<int> worth_trying(std::span<const double> relative);

class Guided final : public StagedSearch {
 public:
  /// Makes a search of these candidates.
  using Make = std::function<std::unique_ptr<Search>(std::vector<Candidate> candidates)>;

  /// \p relative and \p corrections have one entry per candidate; \p corrections may be empty. Throws Error(argument)
  /// otherwise.
  Guided(std::vector<Candidate> candidates, std::vector<double> relative, std::vector<double> corrections, Make make);

  [[nodiscard]] const std::optional<Verdict>& verdict() const override { return verdict_; }
  [[nodiscard]] const std::optional<Verdict>& provisional() const override { return provisional_; }
  [[nodiscard]] const std::vector<Knowledge>& knowledge() const override { return knowledge_; }
  [[nodiscard]] double believed(int candidate) const override;
  /// The relative time expected of a candidate that the advice has left out; NaN for others.
  [[nodiscard]] double left_out(int candidate) const;
  /// The advice has not been dropped.
  [[nodiscard]] bool advised() const noexcept { return contradiction_.empty(); }
  /// Why the advice was dropped; empty: it was not.
  [[nodiscard]] const std::string& contradiction() const noexcept { return contradiction_; }

 private:
  void follow() override;
  void begin_stage(std::vector<int> members);
  [[nodiscard]] double offset_of_expectations(std::span<const int> members) const;
  [[nodiscard]] Candidate with_advice(int member, int expected_winner, double offset) const;
  [[nodiscard]] int expected_winner(std::span<const int> members) const;
  [[nodiscard]] std::string find_contradiction() const;
  [[nodiscard]] bool leaves_out() const { return members().size() < candidates_.size(); }
  void copy_results();
  [[nodiscard]] std::optional<Verdict> of_all_candidates(std::optional<Verdict> verdict) const;

  std::vector<Candidate> candidates_;
  std::vector<double> relative_;
  std::vector<double> corrections_;
  Make make_;
  bool accepted_ = false;  ///< the first verdict, also a provisional one, agreed with the advice
  std::string contradiction_;
  std::vector<Knowledge> knowledge_;
  std::optional<Verdict> verdict_;
  std::optional<Verdict> provisional_;
};

}  // namespace adcl::select
