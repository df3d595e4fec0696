/// \file guided.hpp
/// A search that similar problems have advised: only what may win by their experience is tried. Pure.
///
/// Each candidate has an expected relative time: 1 for the fastest, 2.3 for one that is expected to take 2.3 times as
/// long, infinity for one that was ruled out there, NaN where nothing is known. The field is tried, by any selection
/// logic: the candidate that is expected to win, what is expected within a tenth of it (three in all), all of which
/// nothing is known, and as a witness the first of the table, unless it is expected to be hopeless; where only one
/// candidate would be left, the next in speed is the witness. No plan of any other candidate is made. A logic that uses
/// expectations is given the advice as such, in place of what the library expects of candidates anywhere; where only
/// that is known of a candidate, corrected by what the searches of similar problems had come to believe: how much
/// longer it takes beside the winner, as a logarithm, than is expected anywhere.
///
/// The verdict of the field holds when the advice has come true in it: no member took less than 2/3, or more than 3
/// times, of what its expected time makes it take beside the expected winner. (The upper bound is wide, since
/// disturbances make times longer and a slow candidate is measured a few times only.) When the advice has not come
/// true, or when no member of the field can run, it is dropped, and a search of all candidates begins as if there had
/// been none.
///
/// Why all ranks take the same branch: the advice is the same on all ranks, and the numbers it is compared with were
/// reduced.
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

/// The indices of the candidates that are worth trying, in the order of the table. All of them where the advice says
/// nothing: no finite number among them.
std::vector<int> field_of(std::span<const double> relative);

class Guided final : public Search {
 public:
  /// Makes a search of these candidates.
  using Make = std::function<std::unique_ptr<Search>(std::vector<Candidate> candidates)>;

  /// \p relative and \p corrections have one entry per candidate, the latter may be empty. Throws Error(argument) when
  /// they have not.
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
  /// Throws Error(state): it has its knowledge already.
  void prime(std::span<const measure::Numbers> known) override;
  [[nodiscard]] const std::optional<Verdict>& verdict() const override { return verdict_; }
  [[nodiscard]] const std::optional<Verdict>& provisional() const override { return provisional_; }
  [[nodiscard]] const std::vector<Knowledge>& knowledge() const override { return knowledge_; }
  [[nodiscard]] double believed(int candidate) const override;
  /// The advice has not been dropped.
  [[nodiscard]] bool advised() const noexcept { return advised_; }
  /// What was expected of a candidate that the advice has left out; NaN for others.
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
  std::vector<int> members_;  ///< of the stage: candidates
  std::unique_ptr<Search> stage_;
  bool advised_ = true;
  bool accepted_ = false;  ///< the verdict of the field
  std::string contradiction_;
  std::vector<std::string> dropped_;  ///< why, per candidate; empty: it was not
  int slots_ = 0;                     ///< handed out by this stage and those before
  int first_slot_ = 0;                ///< of this stage
  std::vector<Knowledge> knowledge_;
  std::optional<Verdict> verdict_;
  std::optional<Verdict> provisional_;
};

}  // namespace adcl::select
