#include "select/hypothesis/hypothesis.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "select/at.hpp"

namespace adcl::select {

namespace {

constexpr const char* confidence_name = "ADCL_CONFIDENCE";

std::vector<std::vector<int>> attribute_values(const std::vector<Candidate>& candidates) {
  std::vector<std::vector<int>> result;
  result.reserve(candidates.size());
  for (const Candidate& candidate : candidates) {
    result.push_back(candidate.attributes);
  }
  return result;
}

}  // namespace

void Hypothesis::vote(int best, const std::vector<int>& compared) {
  if (confidence_ > 0 && best != value_) {
    --confidence_;
    if (confidence_ == 0) {
      value_ = not_applicable;
      beaten_.clear();
    }
    return;
  }
  value_ = best;
  ++confidence_;
  for (const int value : compared) {
    if (value != best) {
      beaten_.insert(value);
    }
  }
}

HypothesisSearch::HypothesisSearch(std::vector<Candidate> candidates, const AttributeSet& attributes,
                                   const Parameters& parameters)
    : BatchSearch(std::move(candidates), attributes, parameters),
      table_(attribute_values(all_candidates())),
      confidence_needed_(parameters.options.integer(confidence_name)) {
  forget();
}

void HypothesisSearch::forget() {
  rulings_.clear();
  states_.assign(attributes().size(), State{});
  for (std::size_t j = 0; j < states_.size(); ++j) {
    states_[j].evaluated.assign(table_.sets(j).size(), false);
  }
}

void HypothesisSearch::advance() {
  // Removing candidates shortens sets and can complete them.
  while (settle()) {
  }
  std::vector<int> batch = next_batch();
  if (batch.empty()) {
    batch = unmeasured();
  }
  if (batch.empty()) {
    conclude(how());
  } else {
    measure(batch);
  }
}

/// Steps 1 to 3 of a round. Returns true if anything changed.
bool HypothesisSearch::settle() {
  bool changed = false;
  std::vector<std::size_t> decided;
  for (std::size_t j = 0; j < states_.size(); ++j) {
    if (!states_[j].confirmed && evaluate(j)) {
      changed = true;
      if (states_[j].confirmed) {
        decided.push_back(j);
      }
    }
  }
  for (const std::size_t j : decided) {
    remove_losers(j);
  }
  for (std::size_t j = 0; j < states_.size(); ++j) {
    for (const std::string& name : classes(j)) {
      changed = rule_class_out(j, name) || changed;
    }
  }
  return changed;
}

bool HypothesisSearch::evaluate(std::size_t attribute) {
  State& state = states_[attribute];
  const Batch none(at(count()), false);
  if (ready_sets(attribute, none) < confidence_needed_ - state.hypothesis.confidence()) {
    return false;
  }
  const auto& sets = table_.sets(attribute);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    if (!state.evaluated[s] && complete(attribute, sets[s], none)) {
      state.evaluated[s] = true;
      compare(attribute, sets[s]);
    }
  }
  state.confirmed = state.hypothesis.confidence() >= confidence_needed_;
  return true;
}

void HypothesisSearch::compare(std::size_t attribute, const Set& set) {
  State& state = states_[attribute];
  std::vector<int> values;
  int best = -1;
  for (const int member : set) {
    if (!usable(member) || !measured(member)) {
      continue;
    }
    values.push_back(table_.value(member, attribute));
    // Among equals, prefers the value of the hypothesis, then the first in the table.
    const bool agrees = values.back() == state.hypothesis.value();
    if (best < 0 || judged_s(member) < judged_s(best) || (judged_s(member) == judged_s(best) && agrees)) {
      best = member;
    }
  }
  const int value = table_.value(best, attribute);
  state.hypothesis.vote(value, values);
  int second = -1;
  for (const int member : set) {
    const bool other = usable(member) && measured(member) && table_.value(member, attribute) != value;
    if (other && (second < 0 || judged_s(member) < judged_s(second))) {
      second = member;
    }
  }
  if (state.hypothesis.value() == value) {
    state.evidence = text(candidate(best).name, " took ", duration(judged_s(best)), " and ", candidate(second).name,
                          " ", duration(judged_s(second)));
  }
}

void HypothesisSearch::remove_losers(std::size_t attribute) {
  const State& state = states_[attribute];
  for (int i = 0; i < count(); ++i) {
    const int value = table_.value(i, attribute);
    if (active(i) && value >= 0 && state.hypothesis.beats(value) && bound_by(attribute, i)) {
      remove(i, text(attributes()[attribute].name, " = ", value_name(attribute, state.hypothesis.value()),
                     " is better than ", value_name(attribute, value), ", with confidence ",
                     state.hypothesis.confidence(), ": ", state.evidence));
    }
  }
}

/// The hypothesis about the attribute applies to the candidate: step 2 of a round.
bool HypothesisSearch::bound_by(std::size_t attribute, int candidate) const {
  if (!table_.has_partner(candidate)) {
    return false;
  }
  const int best = states_[attribute].hypothesis.value();
  for (std::size_t e = 0; e < states_.size(); ++e) {
    if (e == attribute || table_.value(candidate, e) < 0 || classes(e).empty()) {
      continue;
    }
    bool tested = false;
    for (int i = 0; i < count() && !tested; ++i) {
      tested = usable(i) && table_.value(i, attribute) == best && same_class(i, candidate, e);
    }
    if (!tested) {
      return false;
    }
  }
  return true;
}

/// Step 3 for one class. Returns true if candidates were removed.
bool HypothesisSearch::rule_class_out(std::size_t attribute, const std::string& name) {
  std::string evidence;
  for (const Set& set : table_.sets(attribute)) {
    Pair best;
    for (const int member : set) {
      if (!usable(member) || !measured(member)) {
        continue;
      }
      int& side = class_of(member, attribute) == name ? best.inside : best.outside;
      side = side < 0 || judged_s(member) < judged_s(side) ? member : side;
    }
    if (best.inside < 0 || best.outside < 0) {
      continue;
    }
    if (judged_s(best.inside) <= class_margin * judged_s(best.outside)) {
      return false;
    }
    evidence = text(candidate(best.inside).name, " took ", duration(judged_s(best.inside)), " and ",
                    candidate(best.outside).name, " ", duration(judged_s(best.outside)));
  }
  if (evidence.empty()) {
    return false;
  }
  bool removed = false;
  for (int i = 0; i < count(); ++i) {
    if (active(i) && table_.has_partner(i) && class_of(i, attribute) == name) {
      remove(i, text("its class ", name, " of ", attributes()[attribute].name,
                     " is ruled out by a representative: ", evidence));
      removed = removed || !active(i);
    }
  }
  if (removed) {
    rulings_.push_back(text(attributes()[attribute].name, " is not ", name, " (", evidence, ")"));
  }
  return removed;
}

/// After \p batch, no active member of the set is unmeasured, and two values can be compared.
bool HypothesisSearch::complete(std::size_t attribute, const Set& set, const Batch& batch) const {
  int first = not_applicable;
  bool several = false;
  for (const int member : set) {
    if (!usable(member)) {
      continue;
    }
    if (!known(member, batch)) {
      if (active(member)) {
        return false;
      }
      continue;
    }
    const int value = table_.value(member, attribute);
    several = several || (first != not_applicable && value != first);
    first = first == not_applicable ? value : first;
  }
  return several;
}

int HypothesisSearch::ready_sets(std::size_t attribute, const Batch& batch) const {
  const auto& sets = table_.sets(attribute);
  int result = 0;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    result += !states_[attribute].evaluated[s] && complete(attribute, sets[s], batch) ? 1 : 0;
  }
  return result;
}

/// The named classes of an attribute.
std::vector<std::string> HypothesisSearch::classes(std::size_t attribute) const {
  std::vector<std::string> result;
  for (const AttributeValue& value : attributes()[attribute].values) {
    if (!value.value_class.empty() && std::find(result.begin(), result.end(), value.value_class) == result.end()) {
      result.push_back(value.value_class);
    }
  }
  return result;
}

bool HypothesisSearch::same_class(int first, int second, std::size_t attribute) const {
  const std::string& name = class_of(first, attribute);
  return name.empty() ? table_.value(first, attribute) == table_.value(second, attribute)
                      : name == class_of(second, attribute);
}

std::string HypothesisSearch::value_name(std::size_t attribute, int value) const {
  const AttributeValue* const entry = attributes()[attribute].find(value);
  return entry == nullptr ? text(value) : entry->name;
}

std::string HypothesisSearch::how() const {
  int skipped = 0;
  int considered = 0;
  for (int i = 0; i < count(); ++i) {
    considered += usable(i) ? 1 : 0;
    skipped += usable(i) && !measured(i) ? 1 : 0;
  }
  std::vector<std::string> causes;
  for (std::size_t j = 0; j < states_.size(); ++j) {
    const State& state = states_[j];
    if (state.confirmed) {
      causes.push_back(text(attributes()[j].name, " = ", value_name(j, state.hypothesis.value()), " with confidence ",
                            state.hypothesis.confidence(), " (", state.evidence, ")"));
    }
  }
  causes.insert(causes.end(), rulings_.begin(), rulings_.end());
  if (causes.empty() || skipped == 0) {
    return causes.empty() ? "; no hypothesis converged" : "";
  }
  std::string result = text("; ", skipped, " of ", considered, " candidates were not measured because ");
  for (std::size_t i = 0; i < causes.size(); ++i) {
    result += (i > 0 ? ", " : "") + causes[i];
  }
  return result;
}

namespace {

std::unique_ptr<Search> make_hypothesis(std::vector<Candidate> candidates, const AttributeSet& attributes,
                                        const Parameters& parameters) {
  auto search = std::make_unique<HypothesisSearch>(std::move(candidates), attributes, parameters);
  search->begin();
  return search;
}

}  // namespace

Logic hypothesis() {
  return {"hypothesis",
          "finds the best value of each attribute by comparing codelets that differ in nothing else, and measures only "
          "codelets that have these values",
          "paper section III, thesis section 3.3.3",
          {measurements_option(), Option::integer(confidence_name, 1, 1000000, "2",
                                                  "hypothesis: confirmations that a performance hypothesis needs")},
          make_hypothesis};
}

}  // namespace adcl::select
