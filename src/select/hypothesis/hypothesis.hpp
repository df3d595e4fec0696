/// \file hypothesis.hpp
/// Performance hypotheses on attributes. Pure. Source: paper section III, thesis section 3.3.3; classes of attribute
/// values: paper section V.
///
/// The search assumes that the fastest codelet has the best value of each attribute. The evidence about attribute j
/// comes from its comparison sets (comparison.hpp): codelets that differ in attribute j only. The value of the fastest
/// codelet in a set confirms or contradicts the hypothesis "v is the best value of j".
///
/// One round, after each batch:
///  1. Queue: the decision about attribute j waits until as many sets are completely measured as its hypothesis still
///     needs confirmations; then all of them are evaluated, each once. So one batch and one reduction serve several
///     comparisons and attributes, and all are evaluated before anything is removed.
///  2. Hypotheses with the confidence that their attribute requires: removes candidates with another value of j, if
///  that value lost against
///     v in a set that was evaluated. A value that was in no set was not tested and stays; the paper removes it, too.
///     If an attribute has classes, a candidate also stays if no member of its class has v: that packing pays for
///     two-sided transfers says nothing about one-sided ones if no one-sided codelet packs.
///  3. Classes: one measured representative rules its whole class out if, in every set that has both, it is more than
///     class_margin times slower than the best codelet outside of the class. Ruling out all others selects a class. The
///     margin is the paper's "either significantly faster or significantly slower".
///  4. The next batch: the sets of the attribute that can be decided with the fewest new measurements, if that can save
///     an unmeasured candidate, and a representative of each class that could save two or more. Sets that also complete
///     other attributes' sets come first.
///  5. When no attribute can be decided any more, brute force compares the remaining candidates, including those in no
///     set, which no hypothesis removes. If nothing converged, this is brute force over all candidates, without
///     measuring any of them again.
/// Candidates that do not have attribute j are not removed because of it.
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

/// The hypothesis that a value is the best one of its attribute.
class Hypothesis {
 public:
  /// Records a comparison of the values \p compared, in which \p best was the fastest: one step of confidence up or
  /// down.
  void vote(int best, const std::set<int>& compared);

  /// not_applicable: there is no hypothesis.
  [[nodiscard]] int value() const noexcept { return value_; }
  [[nodiscard]] int confidence() const noexcept { return confidence_; }
  /// \p other lost against value() in a comparison that confirmed the hypothesis.
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
  using Known = std::vector<bool>;  ///< per candidate: it is measured, or will be after the batch that is planned

  struct State {
    Hypothesis hypothesis;
    bool confirmed = false;
    std::vector<bool> evaluated;  ///< per set of the attribute
    std::string evidence;         ///< the last confirming comparison, in words
  };
  struct Pair {  ///< a member of a class and one outside of it, in one set; -1: none
    int inside = -1;
    int outside = -1;
  };

  void advance() override;
  void forget() override;

  // Steps 1 to 3 of a round.
  bool settle();
  bool evaluate(std::size_t attribute);
  void compare(std::size_t attribute, const Set& set);
  void remove_losers(std::size_t attribute);
  [[nodiscard]] bool applies_to(std::size_t attribute, int candidate) const;
  bool rule_class_out(std::size_t attribute, const std::string& name);

  // Step 4: planning.
  [[nodiscard]] std::vector<int> next_batch() const;
  [[nodiscard]] std::optional<Known> known_when_decided(std::size_t attribute, Known known) const;
  [[nodiscard]] bool saves(int candidate, const Known& known) const;
  void add_representatives(std::size_t attribute, Known& known) const;
  [[nodiscard]] Pair representatives(std::size_t attribute, const std::string& name, const Known& known) const;

  [[nodiscard]] Known measured_candidates() const;
  [[nodiscard]] bool set_is_ready(std::size_t attribute, std::size_t set, const Known& known) const;
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
  std::vector<std::string> rulings_;    ///< about classes, for the reason
};

}  // namespace adcl::select
