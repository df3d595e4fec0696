/// \file batch_search.hpp
/// Base of the selection logics that measure in batches: tickets, samples, numbers to reduce, knowledge, dropped
/// candidates. A logic adds which candidates are measured next and when the search ends. Pure.
///
/// - A batch is a sequence of blocks: executions of one candidate in a row, of which the first ones may not count. Most
///   logics measure each candidate in one block of n_m executions (thesis section 3.3.2). absorb() frees the samples of
///   the batch. Slots increase over the whole search, so a time that arrives after its batch was absorbed, or twice, or
///   for a dropped candidate, is ignored. So is a time that is negative or not finite.
/// - pending() returns the numbers of each block (batch_times.hpp). The block of a dropped candidate stays until the
///   batch is absorbed, so a reduction under way remains valid.
/// - If ranks run ahead of each other (Parameters::whole_blocks), they synchronize before the first counted execution
///   of a block (Ticket::meets), and the block is one measurement.
/// - A candidate without a measurement on some rank is measured again in the next batch, at most three times in all.
/// - The leader is the fastest measured candidate. No logic removes it. If drop() removes it, the next fastest becomes
///   active again, even if evidence had removed it; nothing else makes a candidate active again. Unless a logic
///   overrides it, the winner is the fastest measured candidate that was not dropped, the first in the table among
///   equals.
/// - With a single candidate that was not dropped, the search ends without a measurement.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "select/batch_times.hpp"
#include "select/duration.hpp"
#include "select/search.hpp"

namespace adcl::select {

/// n_m, the measurements per candidate: an option of all logics that derive from BatchSearch.
Option measurements_option();

/// Logic::make of a logic that derives from BatchSearch: a search that has planned its first batch.
template <typename Policy>
std::unique_ptr<Search> make_search(std::vector<Candidate> candidates, const AttributeSet& attributes,
                                    const Parameters& parameters) {
  auto search = std::make_unique<Policy>(std::move(candidates), attributes, parameters);
  search->begin();
  return search;
}

class BatchSearch : public Search {
 public:
  /// \throws Error(no_codelet) without candidates, Error(argument) for a candidate with too few or too many attribute
  /// values, Error(option) for more measurements than can be counted, Error(internal) for a logic whose row lacks
  /// measurements_option().
  BatchSearch(std::vector<Candidate> candidates, AttributeSet attributes, const Parameters& parameters);

  /// Plans the first batch. Called once, when the logic is complete.
  void begin() { plan(); }

  Ticket next() final;
  int skip() final;
  bool record(const Ticket& ticket, double seconds, double left_s) final;
  using Search::record;
  bool amend(const Ticket& ticket, double seconds) final;
  void spend(int candidate, double seconds) final;
  [[nodiscard]] bool ready() const final { return !verdict_ && block_ == blocks_.size(); }
  [[nodiscard]] std::vector<double> pending() const final { return times_.pending(parameters_); }
  /// Does nothing after the verdict. \throws Error(internal) before ready() or for a wrong number of values.
  void absorb(std::span<const double> reduced) final;
  /// \throws Error(argument) for an index out of range, Error(no_codelet) for the last remaining candidate.
  void drop(int candidate, const std::string& reason) final;
  /// \throws Error(state) after the first next(), Error(argument) for a wrong number of values.
  void prime(std::span<const measure::Numbers> known) final;
  [[nodiscard]] const std::optional<Verdict>& verdict() const final { return verdict_; }
  [[nodiscard]] const std::optional<Verdict>& provisional() const final { return provisional_; }
  [[nodiscard]] const std::vector<Knowledge>& knowledge() const final { return knowledge_; }

 protected:
  /// Called if no batch is under way and several candidates are left. Starts a batch or calls conclude().
  virtual void advance() = 0;
  /// Resets the logic, because the search starts again with other knowledge.
  virtual void forget() {}
  /// The shortest time of a block, as the maximum over the ranks, and what the block has cost.
  struct Range {
    double shortest_s = 0.0;
    double spent_s = 0.0;  ///< total of spend() for the block, plans included
    int executions = 0;    ///< counted and uncounted ones
  };
  /// Receives the reduced numbers of a block.
  virtual void learn(int candidate, const measure::Numbers& numbers, const Range& range);
  /// The measured candidate that would win now; -1: none is measured.
  [[nodiscard]] virtual int leader() const { return fastest(); }
  /// Why the leader has won. Called if several candidates can be compared.
  [[nodiscard]] virtual std::string sentence(int winner) const;
  /// Why \p loser has not won, if it was not removed before.
  [[nodiscard]] virtual std::string explanation(int loser, int winner) const;

  /// The measurements do not separate the two. Here: \p candidate is at most 2 % slower.
  [[nodiscard]] virtual bool tied(int candidate, int winner) const {
    return judged_s(candidate) <= 1.02 * judged_s(winner);
  }

  [[nodiscard]] int count() const noexcept { return static_cast<int>(candidates_.size()); }
  [[nodiscard]] const Candidate& candidate(int index) const { return candidates_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const std::vector<Candidate>& all_candidates() const noexcept { return candidates_; }
  [[nodiscard]] const AttributeSet& attributes() const noexcept { return attributes_; }
  [[nodiscard]] const Parameters& parameters() const noexcept { return parameters_; }
  /// n_m, the measurements per candidate.
  [[nodiscard]] int measurements() const noexcept { return measurements_; }

  /// For sentences.
  [[nodiscard]] std::string value_name(std::size_t attribute, int value) const;

  /// It was not dropped, so it can win.
  [[nodiscard]] bool usable(int candidate) const { return !dropped_[static_cast<std::size_t>(candidate)]; }
  /// It was neither removed nor dropped.
  [[nodiscard]] bool active(int candidate) const { return known(candidate).removed.empty(); }
  [[nodiscard]] bool measured(int candidate) const { return known(candidate).numbers.measurements > 0.0; }
  [[nodiscard]] double judged_s(int candidate) const { return known(candidate).judged_s; }
  /// The fastest measured candidate that was not dropped, the first among equals; -1: none is measured.
  [[nodiscard]] int fastest() const;
  /// The first candidate of the table that was not dropped.
  [[nodiscard]] int first_usable() const;
  /// Active candidates that are not measured, in the order of the table.
  [[nodiscard]] std::vector<int> unmeasured() const;

  /// Starts a batch with one block of n_m executions per member. \p members are unmeasured, distinct, and in the order
  /// in which they run.
  void measure(const std::vector<int>& members);
  /// Measures the members; if there are none, concludes.
  void measure_or_conclude(const std::vector<int>& members, const std::string& how) {
    members.empty() ? conclude(how) : measure(members);
  }
  /// Executions of one candidate in a row.
  struct Block {
    int candidate = 0;
    int uncounted = 0;  ///< the first ones, whose times do not count
    int counted = 1;
  };
  /// Returns \p counted, or if a block is one measurement and operations are short, a multiple of it. Then the first
  /// and the last execution, which do not overlap with others, hardly affect the mean.
  [[nodiscard]] int lengthened(int counted) const;
  /// Starts a batch of blocks, at most one per candidate, in the order in which they run.
  void run(std::vector<Block> blocks);
  /// Replaces the knowledge about a candidate.
  void know(int candidate, const measure::Numbers& numbers, double judged_s);
  /// Removes an active candidate, unless it is the leader.
  void remove(int candidate, const std::string& reason);
  /// Ends the search: the leader wins. \p how is appended to the reason and may be empty.
  void conclude(const std::string& how);
  /// From now on, the current leader is the provisional winner. \p how: see conclude().
  void settle(const std::string& how);
  [[nodiscard]] int usable_count() const;

 private:
  [[nodiscard]] const Knowledge& known(int candidate) const { return knowledge_[static_cast<std::size_t>(candidate)]; }
  void plan();
  void restore();
  void end_batch();
  void explain_losers();
  void skip_dropped();
  [[nodiscard]] Verdict verdict_for_leader(const std::string& how) const;
  [[nodiscard]] int incumbent() const;
  [[nodiscard]] std::string reason_for(int winner) const;
  [[nodiscard]] int sample(const Ticket& ticket) const;

  std::vector<Candidate> candidates_;
  AttributeSet attributes_;
  Parameters parameters_;
  int measurements_;
  std::vector<Knowledge> knowledge_;
  std::vector<bool> dropped_;
  std::vector<int> attempts_;  ///< batches without a measurement of the candidate
  std::vector<Block> blocks_;  ///< of the batch
  BatchTimes times_;
  std::size_t block_ = 0;   ///< the block of the next ticket
  int executions_ = 0;      ///< tickets of that block that were handed out
  int first_slot_ = 0;      ///< of the batch
  int handed_out_ = 0;      ///< samples before the next ticket
  bool uncounted_ = false;  ///< the last ticket belongs to the batch and had no slot
  bool started_ = false;
  std::optional<Verdict> verdict_;
  std::optional<Verdict> provisional_;
  std::string settled_how_;
};

}  // namespace adcl::select
