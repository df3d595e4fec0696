/// \file batch_search.hpp
/// What all selection logics that measure in batches share: tickets, samples, the numbers to reduce, knowledge, dropped
/// candidates. A logic adds which candidates are measured next and when the search ends. Pure.
///
/// - A batch is a sequence of blocks: executions of one candidate in a row, of which the first ones may not count. Most
///   logics measure each candidate in one block of n_m (thesis section 3.3.2). Samples are freed when the batch is
///   absorbed. Slots count up over the whole search, so that a time that arrives after its batch was absorbed, or
///   twice, or for a dropped candidate, does no harm. A time that is negative or not finite is no measurement.
/// - pending(): the numbers of each block (batch_times.hpp). A block of a candidate that is dropped keeps its place
/// until
///   the batch is absorbed, so a reduction that is under way stays valid.
/// - Where ranks run ahead of each other (Parameters::whole_blocks), they meet before the first execution of a block
///   whose time counts (Ticket::meets), and the block is one measurement.
/// - A candidate that has no measurement on some rank is measured again in the next batch, at most three times in all.
/// - The leader, which is the fastest measured candidate, is never removed by a logic. When drop() takes it away, the
///   next in speed is considered again even if the evidence had removed it: that is the only way back. Where a logic
///   does not say otherwise, the winner is therefore the fastest of all measured candidates that were not dropped, the
///   first in the table among equals.
/// - With one candidate that is not dropped the search is over without any measurement.
#pragma once

#include <string>
#include <vector>

#include "select/batch_times.hpp"
#include "select/duration.hpp"
#include "select/search.hpp"

namespace adcl::select {

/// n_m, per candidate: an option of all logics that derive from BatchSearch.
Option measurements_option();

class BatchSearch : public Search {
 public:
  /// \throws Error(no_codelet) without candidates, Error(argument) for a candidate with too few or too many attribute
  /// values, Error(option) for more measurements than can be counted, Error(internal) for a logic whose row lacks
  /// measurements_option().
  BatchSearch(std::vector<Candidate> candidates, AttributeSet attributes, const Parameters& parameters);

  /// Plans the first batch; to be called once, when the logic is complete.
  void begin();

  Ticket next() final;
  int skip() final;
  bool record(const Ticket& ticket, double seconds, double left_s) final;
  using Search::record;
  bool amend(const Ticket& ticket, double seconds) final;
  void spend(int candidate, double seconds) final;
  [[nodiscard]] bool ready() const final;
  [[nodiscard]] std::vector<double> pending() const final;
  /// After the verdict nothing happens. \throws Error(internal) before ready() or for a wrong number of values.
  void absorb(std::span<const double> reduced) final;
  /// \throws Error(argument) for no candidate's index, Error(no_codelet) for the last one that is left.
  void drop(int candidate, const std::string& reason) final;
  /// \throws Error(state) after the first next(), Error(argument) for a wrong number of values.
  void prime(std::span<const measure::Numbers> known) final;
  [[nodiscard]] const std::optional<Verdict>& verdict() const final { return verdict_; }
  [[nodiscard]] const std::optional<Verdict>& provisional() const final { return provisional_; }
  [[nodiscard]] const std::vector<Knowledge>& knowledge() const final { return knowledge_; }

 protected:
  /// No batch is under way and several candidates are left: either measure() or conclude().
  virtual void advance() = 0;
  /// The search starts anew with other knowledge.
  virtual void forget() {}
  /// The shortest and the longest time of a block, each on the rank where it was longest.
  struct Range {
    double shortest_s = 0.0;
    double longest_s = 0.0;
    double spent_s = 0.0;  ///< on all that spend() was told of the block, plans included
    int executions = 0;    ///< those that do not count among them
  };
  /// The reduced numbers of a block.
  virtual void learn(int candidate, const measure::Numbers& numbers, const Range& range);
  /// The measured candidate that would win now; -1: none is measured.
  [[nodiscard]] virtual int leader() const { return fastest(); }
  /// Why the leader has won, when several candidates can be compared.
  [[nodiscard]] virtual std::string sentence(int winner) const;
  /// Why another candidate has not, if it was not removed before.
  [[nodiscard]] virtual std::string explanation(int loser, int winner) const;

  /// The measurements do not tell the two apart: here, it would have been at most 2 % slower.
  [[nodiscard]] virtual bool tied(int candidate, int winner) const {
    return judged_s(candidate) <= 1.02 * judged_s(winner);
  }

  [[nodiscard]] int count() const noexcept { return static_cast<int>(candidates_.size()); }
  [[nodiscard]] const Candidate& candidate(int index) const { return candidates_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const std::vector<Candidate>& all_candidates() const noexcept { return candidates_; }
  [[nodiscard]] const AttributeSet& attributes() const noexcept { return attributes_; }
  [[nodiscard]] const Parameters& parameters() const noexcept { return parameters_; }
  /// n_m.
  [[nodiscard]] int measurements() const noexcept { return measurements_; }

  /// The named class of the candidate's value; empty: a class of its own.
  [[nodiscard]] const std::string& class_of(int candidate, std::size_t attribute) const;

  /// It was not dropped: it can win.
  [[nodiscard]] bool usable(int candidate) const { return !dropped_[static_cast<std::size_t>(candidate)]; }
  /// It was neither removed nor dropped.
  [[nodiscard]] bool active(int candidate) const;
  [[nodiscard]] bool measured(int candidate) const;
  [[nodiscard]] double judged_s(int candidate) const;
  /// The fastest measured candidate that was not dropped, the first of several; -1: none is measured.
  [[nodiscard]] int fastest() const;
  /// The first of the table that was not dropped.
  [[nodiscard]] int first_usable() const;
  /// Active candidates that are not measured, in the order of the table.
  [[nodiscard]] std::vector<int> unmeasured() const;

  /// Starts a batch of one block of n_m for each member; \p members are unmeasured, distinct and in the order in which
  /// they shall run.
  void measure(const std::vector<int>& members);
  /// Executions of one candidate in a row.
  struct Block {
    int candidate = 0;
    int uncounted = 0;  ///< the first ones, whose times are not wanted
    int counted = 1;
  };
  /// As many executions as \p counted, or where a block is one measurement and operations are short as many times more
  /// as it takes for the first and the last one, which nothing overlaps with, to count little.
  [[nodiscard]] int lengthened(int counted) const;
  /// Starts a batch of blocks, one per candidate at most, in the order in which they shall run.
  void run(std::vector<Block> blocks);
  /// Replaces what is known of a candidate.
  void know(int candidate, const measure::Numbers& numbers, double judged_s);
  /// Takes an active candidate out, except the leader.
  void remove(int candidate, const std::string& reason);
  /// Ends the search: the leader wins. \p how is appended to the reason; may be empty.
  void conclude(const std::string& how);
  /// From now on the leader, whoever it is, is the provisional verdict. \p how as for conclude().
  void settle(const std::string& how);
  [[nodiscard]] int usable_count() const;

 private:
  void plan();
  void restore();
  void explain_losers();
  [[nodiscard]] std::vector<int> ties_with(int winner) const;
  void skip_dropped();
  void advance_cursor();
  [[nodiscard]] int incumbent() const;
  [[nodiscard]] int while_agreeing() const;
  [[nodiscard]] std::string reason_for(int winner) const;
  [[nodiscard]] int sample(const Ticket& ticket) const;

  struct Step {  ///< one start of the batch, or several in a row whose times are not wanted
    int candidate = 0;
    int sample = -1;  ///< number of the sample in the batch; -1: its time is not wanted
    bool meets = false;
    int left = 1;  ///< starts
  };

  std::vector<Candidate> candidates_;
  AttributeSet attributes_;
  Parameters parameters_;
  int measurements_;
  std::vector<Knowledge> knowledge_;
  std::vector<bool> dropped_;
  std::vector<int> attempts_;  ///< batches in which the candidate stayed without a measurement
  std::vector<Block> blocks_;
  std::vector<Step> steps_;  ///< of the batch
  std::vector<int> owners_;  ///< the candidate of each sample
  BatchTimes times_;
  int first_slot_ = 0;      ///< of the batch
  int last_ = -1;           ///< the candidate of the last ticket, where it had no slot; else -1
  std::size_t cursor_ = 0;  ///< the batch's next step
  int handed_out_ = 0;      ///< samples before the next step
  bool started_ = false;
  std::optional<Verdict> verdict_;
  std::optional<Verdict> provisional_;
  std::string settled_how_;
  bool settled_now_ = false;  ///< by the last plan()
};

}  // namespace adcl::select
