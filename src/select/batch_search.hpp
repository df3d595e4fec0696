/// \file batch_search.hpp
/// Base class of selection logics that measure in batches. Manages tickets, samples, the values to reduce, results, and
/// dropped candidates. A logic decides which candidates are measured next, and when the search ends. Pure.
///
/// - A batch is a sequence of blocks. A block is a number of consecutive executions of one candidate; the first
///   ones may be warm-ups. Most logics measure each candidate in one block of n_m executions (thesis section 3.3.2).
///   absorb() frees the samples of the batch. Slots increase over the whole search, so the search ignores a time that
///   arrives after its batch was absorbed, or for a dropped candidate. It also ignores negative and non-finite times.
/// - pending() returns the numbers of each block (batch_times.hpp). The block of a dropped candidate stays in the batch
///   until the batch is absorbed, so that a reduction in progress remains valid.
/// - If ranks run ahead of each other (Parameters::whole_blocks), they synchronize before the first counted execution
///   of a block (Ticket::synchronizes), and the block is one measurement.
/// - If some rank has no measurement of a candidate, the candidate is measured again in the next batch, at most three
///   times in total.
/// - The leader is the fastest measured candidate; among equals, the first in the table. No logic removes it. If the
///   leader is dropped, the next fastest candidate becomes active again, even if it was removed; a removed candidate
///   becomes active again only in this case. The leader wins, unless a logic overrides leader().
/// - If a single candidate is left, the search ends without a measurement.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "select/batch_times.hpp"
#include "select/duration.hpp"
#include "select/search.hpp"

namespace adcl::select {

/// ADCL_MEASUREMENTS, n_m: an option of all logics that derive from BatchSearch.
Option measurements_option();

/// Logic::make of a logic that derives from BatchSearch. Plans the first batch.
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

  /// Plans the first batch. Call once, after construction.
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
  /// Starts a batch or calls conclude(). Called when no batch is in progress and at least two candidates are left.
  virtual void advance() = 0;
  /// Resets the logic. Called when the search starts again with other results.
  virtual void reset() {}
  /// The shortest time of a block, as the maximum over the ranks, and the cost of the block.
  struct BlockCost {
    double shortest_s = 0.0;
    double spent_s = 0.0;  ///< total of spend() for the block, including plans
    int executions = 0;    ///< including warm-ups
  };
  /// Stores the reduced numbers of a block.
  virtual void take_results(int candidate, const measure::Numbers& numbers, const BlockCost& cost);
  /// The measured candidate that would win now; -1: none.
  [[nodiscard]] virtual int leader() const { return fastest(); }
  /// A sentence that explains why \p winner won. Called if it was measured and other candidates are left.
  [[nodiscard]] virtual std::string sentence(int winner) const;
  /// Explains why \p loser, an active candidate, did not win.
  [[nodiscard]] virtual std::string explanation(int loser, int winner) const;

  /// Whether the measurements do not separate \p candidate from \p winner: it is at most 2 % slower.
  [[nodiscard]] virtual bool is_tied(int candidate, int winner) const {
    return judged_s(candidate) <= 1.02 * judged_s(winner);
  }

  /// The candidates for which \p accepts returns true, in table order.
  template <typename Predicate>
  [[nodiscard]] std::vector<int> candidates_where(Predicate accepts) const {
    std::vector<int> result = indices_below(count());
    std::erase_if(result, [&](int i) { return !accepts(i); });
    return result;
  }
  [[nodiscard]] int count() const noexcept { return static_cast<int>(candidates_.size()); }
  [[nodiscard]] const Candidate& candidate(int index) const { return candidates_[at(index)]; }
  [[nodiscard]] const std::vector<Candidate>& all_candidates() const noexcept { return candidates_; }
  [[nodiscard]] const AttributeSet& attributes() const noexcept { return attributes_; }
  [[nodiscard]] const Parameters& parameters() const noexcept { return parameters_; }
  [[nodiscard]] int measurements() const noexcept { return measurements_; }

  /// Name of the attribute value, for messages.
  [[nodiscard]] std::string value_name(std::size_t attribute, int value) const;

  /// True if the candidate was not dropped.
  [[nodiscard]] bool can_run(int candidate) const { return !dropped_[at(candidate)]; }
  /// True if the candidate was neither removed nor dropped.
  [[nodiscard]] bool is_active(int candidate) const { return results_of(candidate).removed.empty(); }
  [[nodiscard]] bool is_measured(int candidate) const { return results_of(candidate).numbers.measurements > 0.0; }
  [[nodiscard]] double judged_s(int candidate) const { return results_of(candidate).judged_s; }
  /// The fastest measured candidate that was not dropped, the first among equals; -1: none.
  [[nodiscard]] int fastest() const;
  /// The first candidate of the table that was not dropped.
  [[nodiscard]] int first_runnable() const;
  /// Active candidates without measurements, in table order.
  [[nodiscard]] std::vector<int> unmeasured() const;

  /// Starts a batch with one block of n_m executions per member. \p members are unmeasured and distinct; they run in
  /// this order.
  void measure(const std::vector<int>& members);
  /// Calls measure(), or conclude() if \p members is empty.
  void measure_or_conclude(const std::vector<int>& members, const std::string& how) {
    members.empty() ? conclude(how) : measure(members);
  }
  /// Consecutive executions of one candidate.
  struct Block {
    int candidate = 0;
    int uncounted = 0;  ///< warm-ups at the start of the block
    int counted = 1;
  };
  /// Returns \p counted. If a block is one measurement and operations are short, returns a multiple of \p counted,
  /// because the first and the last execution do not overlap with other executions and must not dominate the mean.
  [[nodiscard]] int block_length(int counted) const;
  /// Starts a batch. \p blocks has at most one block per candidate, and they run in this order.
  void run(std::vector<Block> blocks);
  /// Replaces the results of a candidate.
  void set_results(int candidate, const measure::Numbers& numbers, double judged_s);
  /// Removes an active candidate, unless it is the leader.
  void remove(int candidate, const std::string& reason);
  /// Ends the search; the leader wins. \p how is appended to Verdict::reason and may be empty.
  void conclude(const std::string& how);
  /// Declares the leader the provisional winner. \p how: see conclude().
  void set_provisional(const std::string& how);
  [[nodiscard]] int runnable_count() const;

 private:
  [[nodiscard]] const Knowledge& results_of(int candidate) const { return knowledge_[at(candidate)]; }
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
  std::vector<int> attempts_;  ///< per candidate: batches that failed to measure it
  std::vector<Block> blocks_;  ///< blocks of the batch
  BatchTimes times_;
  std::size_t block_ = 0;   ///< the block of the next ticket
  int executions_ = 0;      ///< tickets of that block handed out so far
  int first_slot_ = 0;      ///< first slot of the batch
  int handed_out_ = 0;      ///< samples of the batch before the next ticket
  bool uncounted_ = false;  ///< the last ticket was a warm-up of the batch
  bool started_ = false;
  std::optional<Verdict> verdict_;
  std::optional<Verdict> provisional_;
  std::string provisional_remark_;
};

}  // namespace adcl::select
