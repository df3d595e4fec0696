/// \file batch_search.hpp
/// What all selection logics that measure in batches share: tickets, samples, the numbers to reduce, knowledge, dropped
/// candidates. A logic adds which candidates are measured next and when the search ends. Pure.
///
/// - A batch measures each of its members n_m times in a row (thesis section 3.3.2). Samples are freed when the batch
///   is absorbed. Slots count up over the whole search, so that a time that arrives after its batch was absorbed, or
///   twice, or for a dropped candidate, does no harm. A time that is negative or not finite is no measurement.
/// - pending(): for each member of the batch four numbers: mean, filtered mean, outliers, -measurements. A member that
///   is dropped keeps its place until the batch is absorbed, so a reduction that is under way stays valid.
/// - A candidate that has no measurement on some rank is measured again in the next batch, at most three times in all.
/// - The fastest measured candidate is never removed by a logic. When drop() takes it away, the next one in speed is
///   considered again even if the evidence had removed it: that is the only way back, and it keeps this invariant: the
///   winner is the fastest of all measured candidates that were not dropped, the first in the table among equals.
/// - With one candidate that is not dropped the search is over without any measurement.
#pragma once

#include <string>
#include <vector>

#include "search/search.hpp"

namespace adcl::search {

class BatchSearch : public Search {
 public:
  /// \throws Error(no_codelet) without candidates, Error(argument) for a candidate with too few or too many attribute
  /// values, Error(option) for measurements < 1, confidence < 1 or more measurements than can be counted.
  BatchSearch(std::vector<Candidate> candidates, AttributeSet attributes, const Parameters& parameters);

  /// Plans the first batch; to be called once, when the logic is complete.
  void begin();

  Ticket next() final;
  void record(const Ticket& ticket, double seconds) final;
  void amend(const Ticket& ticket, double seconds) final;
  [[nodiscard]] bool ready() const final;
  [[nodiscard]] std::vector<double> pending() const final;
  /// After the verdict nothing happens. \throws Error(internal) before ready() or for a wrong number of values.
  void absorb(std::span<const double> reduced) final;
  /// \throws Error(argument) for no candidate's index, Error(no_codelet) for the last one that is left.
  void drop(int candidate, const std::string& reason) final;
  /// \throws Error(state) after the first next(), Error(argument) for a wrong number of values.
  void prime(std::span<const estimate::Numbers> known) final;
  [[nodiscard]] const std::optional<Verdict>& verdict() const final { return verdict_; }
  [[nodiscard]] const std::vector<Knowledge>& knowledge() const final { return knowledge_; }

 protected:
  /// No batch is under way and several candidates are left: either measure() or conclude().
  virtual void advance() = 0;
  /// The search starts anew with other knowledge.
  virtual void forget() {}

  [[nodiscard]] int count() const noexcept { return static_cast<int>(candidates_.size()); }
  [[nodiscard]] const Candidate& candidate(int index) const { return candidates_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const std::vector<Candidate>& all_candidates() const noexcept { return candidates_; }
  [[nodiscard]] const AttributeSet& attributes() const noexcept { return attributes_; }
  [[nodiscard]] const Parameters& parameters() const noexcept { return parameters_; }

  /// It was not dropped: it can win.
  [[nodiscard]] bool usable(int candidate) const { return !dropped_[static_cast<std::size_t>(candidate)]; }
  /// It was neither removed nor dropped.
  [[nodiscard]] bool active(int candidate) const;
  [[nodiscard]] bool measured(int candidate) const;
  [[nodiscard]] double judged_s(int candidate) const;
  /// The fastest measured candidate that was not dropped, the first of several; -1: none is measured.
  [[nodiscard]] int fastest() const;
  /// Active candidates that are not measured, in the order of the table.
  [[nodiscard]] std::vector<int> unmeasured() const;

  /// Starts a batch; \p members are unmeasured, distinct and in the order in which they shall run.
  void measure(std::vector<int> members);
  /// Takes an active candidate out, except the fastest one.
  void remove(int candidate, const std::string& reason);
  /// Ends the search: the fastest candidate wins. \p how is appended to the reason; may be empty.
  void conclude(const std::string& how);

 private:
  void plan();
  void take(int member, const estimate::Numbers& numbers);
  void restore();
  void explain_losers();
  void skip_dropped();
  [[nodiscard]] int incumbent() const;
  [[nodiscard]] int usable_count() const;
  [[nodiscard]] std::string sentence(int winner) const;
  [[nodiscard]] double* sample(const Ticket& ticket);

  std::vector<Candidate> candidates_;
  AttributeSet attributes_;
  Parameters parameters_;
  std::vector<Knowledge> knowledge_;
  std::vector<bool> dropped_;
  std::vector<int> attempts_;  ///< batches in which the candidate stayed without a measurement
  std::vector<int> members_;
  std::vector<double> samples_;  ///< of the batch, n_m per member; NaN: no measurement
  int first_slot_ = 0;           ///< of the batch
  int cursor_ = 0;               ///< the batch's next ticket
  bool started_ = false;
  std::optional<Verdict> verdict_;
};

/// A time as people read it, three digits: "1.25 ms".
std::string duration(double seconds);

}  // namespace adcl::search
