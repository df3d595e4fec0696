/// \file hypothesis.hpp
/// Performance hypotheses on attributes. Pure. Source: paper section III, thesis section 3.3.3; classes of attribute
/// values: paper section V.
///
/// The assumption is that the fastest codelet has the best value of each attribute. The evidence about attribute j are
/// its comparison sets (comparison.hpp): codelets that differ in attribute j only. The value of the fastest one in a
/// set confirms or contradicts the hypothesis "v is the best value of j".
///
/// One round, after each batch:
///  1. Queue: the decision about attribute j waits until as many sets are completely measured as its hypothesis still
///     needs confirmations; then all of them are evaluated, each once. One batch, and one reduction over the ranks,
///     thus serves several comparisons and several attributes, and all of them are evaluated before anything is
///     removed.
///  2. Hypotheses that have the required confidence: candidates with another value of j are removed, provided that
///     value lost against v in a set that was evaluated. A value that was in no set was not tested and stays, unlike
///     in the paper, where it is removed too. If an attribute has classes, a candidate whose class has no member with
///     v at all stays as well: that packing pays for two-sided transfers says nothing about one-sided ones when there
///     is no one-sided codelet that packs.
///  3. Classes: one measured representative of a class rules the whole class out when it is more than class_margin
///  times
///     slower than the best codelet outside of the class, in every set that has both. Ruling all others out is ruling a
///     class in. The margin is the paper's "either significantly faster or significantly slower".
///  4. The next batch: the sets of that attribute which can be decided with the fewest new measurements, if some
///     unmeasured candidate could be saved by it, and a representative of each class that could spare two or more.
///     Sets that complete other attributes' sets come first.
///  5. When no attribute can be decided any more, the survivors meet by brute force, and so do candidates that are in
///     no set at all, which no hypothesis removes. If nothing converged that is brute force over everything, where
///     what was measured before is not measured again.
/// Candidates that do not have attribute j are not removed because of it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "select/batch_search.hpp"
#include "select/comparison.hpp"

namespace adcl::select {

/// How much slower, as a ratio, a representative must be for its class to be given up.
inline constexpr double class_margin = 1.25;

/// "value is the best one of its attribute."
class Hypothesis {
 public:
  /// In a comparison that had the values \p compared, \p best was the best one: one step of confidence up or down.
  void vote(int best, const std::vector<int>& compared);

  /// not_applicable: there is no hypothesis.
  [[nodiscard]] int value() const noexcept { return value_; }
  [[nodiscard]] int confidence() const noexcept { return confidence_; }
  /// \p other lost against value() in a comparison that confirmed the hypothesis.
  [[nodiscard]] bool beats(int other) const { return beaten_.count(other) > 0; }

 private:
  int value_ = not_applicable;
  int confidence_ = 0;
  std::set<int> beaten_;
};

class HypothesisSearch final : public BatchSearch {
 public:
  HypothesisSearch(std::vector<Candidate> candidates, const AttributeSet& attributes, const Parameters& parameters);

  [[nodiscard]] const Hypothesis& hypothesis(std::size_t attribute) const { return states_[attribute].hypothesis; }
  [[nodiscard]] bool confirmed(std::size_t attribute) const { return states_[attribute].confirmed; }

 private:
  using Set = std::vector<int>;
  using Batch = std::vector<bool>;  ///< per candidate: it is to be measured next

  struct State {
    Hypothesis hypothesis;
    bool confirmed = false;
    std::vector<bool> evaluated;  ///< per set of the attribute
    std::string evidence;         ///< the last comparison that confirmed
  };
  struct Question {  ///< a batch after which an attribute can be decided
    Batch batch;
    int measurements = 0;  ///< members of the batch
    int completed = 0;     ///< sets that the batch completes, of all attributes that are not decided
    bool possible = false;
  };
  struct Pair {  ///< a member of a class and one from outside of it, in one set; -1: none
    int inside = -1;
    int outside = -1;
  };

  void advance() override;
  void forget() override;

  bool settle();
  bool evaluate(std::size_t attribute);
  void compare(std::size_t attribute, const Set& set);
  void remove_losers(std::size_t attribute);
  [[nodiscard]] bool bound_by(std::size_t attribute, int candidate) const;
  bool rule_class_out(std::size_t attribute, const std::string& name);
  [[nodiscard]] std::vector<int> next_batch() const;
  [[nodiscard]] Question question(std::size_t attribute) const;
  void extend(Question& question, const Set& set) const;
  [[nodiscard]] bool worth(std::size_t attribute, const Batch& batch) const;
  void add_representatives(std::size_t attribute, Batch& batch) const;
  [[nodiscard]] Pair representatives(std::size_t attribute, const std::string& name, const Batch& batch) const;
  [[nodiscard]] bool known(int candidate, const Batch& batch) const;
  [[nodiscard]] bool complete(std::size_t attribute, const Set& set, const Batch& batch) const;
  [[nodiscard]] int ready_sets(std::size_t attribute, const Batch& batch) const;
  [[nodiscard]] Set to_measure(const Set& set, const Batch& batch) const;
  [[nodiscard]] int completed_by(const Set& added, const Batch& batch) const;
  [[nodiscard]] std::vector<std::string> classes(std::size_t attribute) const;
  [[nodiscard]] bool same_class(int first, int second, std::size_t attribute) const;
  [[nodiscard]] std::string value_name(std::size_t attribute, int value) const;
  [[nodiscard]] std::string how() const;

  ComparisonTable table_;
  int confidence_needed_;
  std::vector<State> states_;         ///< per attribute
  std::vector<std::string> rulings_;  ///< on classes, for the reason
};

}  // namespace adcl::select
