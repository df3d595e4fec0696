/// \file hypothesis.hpp
/// Performance hypotheses about attributes. Pure. Source: paper section III, thesis section 3.3.3; classes of attribute
/// values: paper section V.
///
/// The search assumes that the fastest codelet has the best value of each attribute. The comparison sets of attribute j
/// (comparison.hpp) contain codelets that differ in j only. The fastest codelet of a set confirms or contradicts the
/// hypothesis "v is the best value of j".
///
/// One round, after each batch:
///  1. Votes: the search evaluates the sets of attribute j together, when it has measured as many sets as the
///     hypothesis needs further confirmations. So one batch and one reduction serve several comparisons, and all are
///     evaluated before any candidate is removed.
///  2. Hypotheses with the required confidence: the search removes candidates with another value of j that lost against
///     v in an evaluated set. A value that was in no set stays (Gabriel and Huang remove it). If an attribute has
///     classes, a candidate also stays if no member of its class has v. For example, if no one-sided codelet packs, the
///     hypothesis about packing does not apply to one-sided codelets.
///  3. Classes: a measured representative rules out its class if, in every set with members inside and outside of the
///     class, it is more than class_margin times slower than the best codelet outside. The margin defines the
///     "significantly slower" of Gabriel and Huang.
///  4. The next batch: the sets of the attribute that needs the fewest new measurements for a decision, if the decision
///     can save a measurement, and a representative of each class with two or more unmeasured members. Sets that also
///     complete sets of other attributes come first.
///  5. When no further attribute can be decided, brute force compares the remaining candidates, including candidates in
///     no set. If nothing converged, these are all candidates; none is measured twice.
/// A hypothesis about attribute j does not remove candidates that lack j.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "select/batch_search.hpp"
#include "select/comparison.hpp"

namespace adcl::select {

/// A class is ruled out if its representative is slower than the best other codelet by more than this factor.
inline constexpr double class_margin = 1.25;

/// The hypothesis that a value is the best value of its attribute.
class Hypothesis {
 public:
  /// Records a comparison of the values \p compared in which \p best was the fastest. Changes the confidence by one.
  void vote(int best, const std::set<int>& compared);

  /// The hypothetical best value; not_applicable: none.
  [[nodiscard]] int value() const noexcept { return value_; }
  [[nodiscard]] int confidence() const noexcept { return confidence_; }
  /// Whether \p other lost against value() in a comparison that confirmed the hypothesis.
  [[nodiscard]] bool beats(int other) const { return beaten_.contains(other); }

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
  using Set = ComparisonTable::Set;
  using Known = std::vector<bool>;  ///< per candidate: measured, or a member of the planned batch

  struct State {
    Hypothesis hypothesis;
    bool confirmed = false;
    std::vector<bool> evaluated;  ///< per set of the attribute
    std::string evidence;         ///< description of the last confirming comparison
  };
  struct Pair {  ///< a member of a class and a candidate outside of it, in the same set; -1: none
    int inside = -1;
    int outside = -1;
  };

  void advance() override;
  void reset() override;

  // Steps 1 to 3 of a round.
  bool evaluate_all();
  bool evaluate(std::size_t attribute);
  void count_vote(std::size_t attribute, const Set& set);
  void remove_losers(std::size_t attribute);
  [[nodiscard]] bool applies_to(std::size_t attribute, int candidate) const;
  bool rule_class_out(std::size_t attribute, const std::string& name);

  // Step 4: planning.
  [[nodiscard]] std::vector<int> next_batch() const;
  [[nodiscard]] std::optional<Known> known_when_decided(std::size_t attribute, Known known) const;
  [[nodiscard]] bool can_save(int candidate, const Known& known) const;
  void add_representatives(std::size_t attribute, Known& known) const;
  [[nodiscard]] Pair representatives(std::size_t attribute, const std::string& name, const Known& known) const;

  [[nodiscard]] Known measured_candidates() const;
  [[nodiscard]] bool is_ready(std::size_t attribute, std::size_t set, const Known& known) const;
  [[nodiscard]] int ready_sets(std::size_t attribute, const Known& known) const;
  [[nodiscard]] int ready_sets_of_undecided(const Known& known) const;
  [[nodiscard]] int confirmations_missing(std::size_t attribute) const;
  template <typename Predicate>
  [[nodiscard]] int fastest_of(const Set& set, Predicate accepts) const;
  [[nodiscard]] std::vector<std::string> classes(std::size_t attribute) const;
  [[nodiscard]] std::string class_of(int candidate, std::size_t attribute) const;
  [[nodiscard]] bool same_class(int first, int second, std::size_t attribute) const;
  [[nodiscard]] std::string comparison(int first, int second) const;
  [[nodiscard]] std::string how() const;

  ComparisonTable table_;
  std::vector<int> confidence_needed_;  ///< per attribute: reqconf(j) of the paper
  std::vector<State> states_;           ///< per attribute
  std::vector<std::string> rulings_;    ///< descriptions of classes ruled out, for the reason
};

}  // namespace adcl::select
