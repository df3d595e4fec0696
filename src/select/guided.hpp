/// \file guided.hpp
/// A search with the advice of similar problems: it tries only candidates that may win according to them. Pure.
///
/// Each candidate has an expected relative time: 1 for the fastest, 2.3 for one that is expected to take 2.3 times as
/// long, infinity for one that was ruled out there, NaN if nothing is known. A selection logic searches the field: the
/// expected winner, candidates expected within a tenth of it (three in all), all without advice, and for
/// comparison the first of the table, unless that is expected to be hopeless. If only one candidate would be left, the
/// next fastest is added for comparison. No plan of any other candidate is made. For a logic that uses expectations,
/// the advice replaces the library's expectations. A candidate without advice keeps the library's expectation, with a
/// correction from the searches of similar problems: the logarithm of how much longer than expected they estimate it to
/// take, relative to the winner.
///
/// The verdict of the field holds if its measurements agree with the advice: no member took less than 2/3, or more than
/// 3 times, its expected time relative to the expected winner. (The upper bound is wide, since disturbances make times
/// longer and a slow candidate is measured a few times only.) If they disagree, or if no member of the field can run,
/// the advice is dropped, and a search of all candidates begins without it.
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

#include "select/search.hpp"

namespace adcl::select {

/// Indices of the candidates that are worth trying, in table order; all candidates if no relative time is finite.
std::vector<int> field_of(std::span<const double> relative);

class Guided final : public Search {
 public:
  /// Makes a search of these candidates.
  using Make = std::function<std::unique_ptr<Search>(std::vector<Candidate> candidates)>;

  /// \p relative and \p corrections have one entry per candidate; \p corrections may be empty. Throws Error(argument)
  /// otherwise.
  Guided(std::vector<Candidate> candidates, std::vector<double> relative, std::vector<double> corrections, Make make);

  Ticket next() override;
  int skip() override { return stage_->skip(); }
  bool record(const Ticket& ticket, double seconds, double left_s) override;
  using Search::record;
  bool amend(const Ticket& ticket, double seconds) override;
  void spend(int candidate, double seconds) override;
  [[nodiscard]] bool ready() const override { return stage_->ready(); }
  [[nodiscard]] std::vector<double> pending() const override { return stage_->pending(); }
  void absorb(std::span<const double> reduced) override;
  void drop(int candidate, const std::string& reason) override;
  /// Throws Error(state): only the constructor takes advice.
  void prime(std::span<const measure::Numbers> known) override;
  [[nodiscard]] const std::optional<Verdict>& verdict() const override { return verdict_; }
  [[nodiscard]] const std::optional<Verdict>& provisional() const override { return provisional_; }
  [[nodiscard]] const std::vector<Knowledge>& knowledge() const override { return knowledge_; }
  [[nodiscard]] double believed(int candidate) const override;
  /// The advice has not been dropped.
  [[nodiscard]] bool advised() const noexcept { return advised_; }
  /// The relative time expected of a candidate that the advice has left out; NaN for others.
  [[nodiscard]] double left_out(int candidate) const;
  /// Why the advice was dropped; empty: it was not.
  [[nodiscard]] const std::string& contradiction() const noexcept { return contradiction_; }

 private:
  void begin(std::vector<int> members);
  [[nodiscard]] double constant_of_expectations() const;
  void expect(int member, double constant, Candidate& candidate) const;
  void settle();
  void take_over();
  [[nodiscard]] std::optional<Verdict> in_own_words(std::optional<Verdict> verdict) const;
  [[nodiscard]] std::string objection() const;
  [[nodiscard]] int expected_winner() const;
  [[nodiscard]] int place_of(int candidate) const;
  [[nodiscard]] bool known(int candidate) const;
  [[nodiscard]] Ticket inner(const Ticket& ticket) const;

  std::vector<Candidate> candidates_;
  std::vector<double> relative_;
  std::vector<double> corrections_;
  Make make_;
  std::vector<int> members_;  ///< the candidates of the stage
  std::unique_ptr<Search> stage_;
  bool advised_ = true;
  bool accepted_ = false;  ///< the verdict of the field is accepted
  std::string contradiction_;
  std::vector<std::string> dropped_;  ///< reason for each candidate; empty: not dropped
  int slots_ = 0;                     ///< handed out by this stage and earlier ones
  int first_slot_ = 0;                ///< of this stage
  std::vector<Knowledge> knowledge_;
  std::optional<Verdict> verdict_;
  std::optional<Verdict> provisional_;
};

}  // namespace adcl::select
