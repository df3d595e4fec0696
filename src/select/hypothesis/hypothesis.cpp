#include "select/hypothesis/hypothesis.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"

namespace adcl::select {

namespace {

constexpr const char* confidence_name = "ADCL_CONFIDENCE";

/// Parses a whole number from 1 to a million; nullopt for any other text.
std::optional<int> confirmations(const std::string& word) {
  constexpr double most = 1e6;
  const auto number = to_number(word);
  const bool good = number && std::trunc(*number) == *number && *number >= 1.0 && *number <= most;
  return good ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

/// Parses `2` or `2,partners=3`: the confirmations that each attribute needs, by name; the empty name represents all
/// other attributes. Returns nullopt for any other text.
std::optional<std::map<std::string, int>> confirmations_by_attribute(const std::string& value) {
  std::map<std::string, int> result;
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find(',', begin), value.size());
    const std::string part = value.substr(begin, end - begin);
    const std::size_t sign = part.find('=');
    const bool named = sign != std::string::npos;
    const auto needed = confirmations(named ? part.substr(sign + 1) : part);
    const std::string name = named ? part.substr(0, sign) : "";
    // The number without a name comes first.
    if (!needed || named != (begin > 0) || name.empty() == named || !result.emplace(name, *needed).second) {
      return std::nullopt;
    }
    begin = end + 1;
  }
  return result;
}

void check_confirmations(const Option& option, const std::string& value) {
  require(confirmations_by_attribute(value).has_value(), Code::option, option.name, "=", value,
          ": expected a whole number from 1 to 1000000, optionally with numbers for attributes, such as 2,partners=3");
}

std::vector<int> confirmations_needed(const AttributeSet& attributes, const std::string& value) {
  const auto by_attribute = confirmations_by_attribute(value).value();
  std::vector<int> result;
  for (const Attribute& attribute : attributes) {
    const auto entry = by_attribute.find(attribute.name);
    result.push_back(entry == by_attribute.end() ? by_attribute.at("") : entry->second);
  }
  return result;
}

std::vector<std::vector<int>> attribute_values(const std::vector<Candidate>& candidates) {
  std::vector<std::vector<int>> values;
  std::ranges::transform(candidates, std::back_inserter(values), &Candidate::attributes);
  return values;
}

}  // namespace

void Hypothesis::vote(int best, const std::set<int>& compared) {
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
  beaten_.insert(compared.begin(), compared.end());
  beaten_.erase(best);
}

HypothesisSearch::HypothesisSearch(std::vector<Candidate> candidates, const AttributeSet& attributes,
                                   const Parameters& parameters)
    : BatchSearch(std::move(candidates), attributes, parameters),
      table_(attribute_values(all_candidates())),
      confidence_needed_(confirmations_needed(attributes, parameters.options.word(confidence_name))) {
  reset();
}

void HypothesisSearch::reset() {
  rulings_.clear();
  states_.assign(attributes().size(), State{});
  for (std::size_t j = 0; j < states_.size(); ++j) {
    states_[j].evaluated.assign(table_.sets(j).size(), false);
  }
}

void HypothesisSearch::advance() {
  // Removing candidates may complete further sets.
  while (evaluate_all()) {
  }
  const std::vector<int> batch = next_batch();
  measure_or_conclude(batch.empty() ? unmeasured() : batch, how());
}

/// Steps 1 to 3 of a round. Returns whether anything changed.
bool HypothesisSearch::evaluate_all() {
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
  const Known known = measured_candidates();
  if (ready_sets(attribute, known) < confirmations_missing(attribute)) {
    return false;
  }
  for (std::size_t s = 0; s < state.evaluated.size(); ++s) {
    if (is_ready(attribute, s, known)) {
      state.evaluated[s] = true;
      count_vote(attribute, table_.sets(attribute)[s]);
    }
  }
  state.confirmed = confirmations_missing(attribute) <= 0;
  return true;
}

void HypothesisSearch::count_vote(std::size_t attribute, const Set& set) {
  State& state = states_[attribute];
  const auto value = [&](int member) { return table_.value(member, attribute); };
  const int first = fastest_of(set, [](int) { return true; });
  const int agreeing = fastest_of(set, [&](int member) { return value(member) == state.hypothesis.value(); });
  // Among equals, prefer the value of the hypothesis, then the first in the table.
  const int best = agreeing >= 0 && judged_s(agreeing) == judged_s(first) ? agreeing : first;
  std::set<int> compared;
  for (const int member : set) {
    if (can_run(member) && is_measured(member)) {
      compared.insert(value(member));
    }
  }
  state.hypothesis.vote(value(best), compared);
  if (state.hypothesis.value() == value(best)) {
    const int second = fastest_of(set, [&](int member) { return value(member) != value(best); });
    state.evidence = comparison(best, second);
  }
}

void HypothesisSearch::remove_losers(std::size_t attribute) {
  const State& state = states_[attribute];
  for (int i = 0; i < count(); ++i) {
    const int value = table_.value(i, attribute);
    if (is_active(i) && value >= 0 && state.hypothesis.beats(value) && applies_to(attribute, i)) {
      remove(i, text(attributes()[attribute].name, " = ", value_name(attribute, state.hypothesis.value()),
                     " is better than ", value_name(attribute, value), ", with confidence ",
                     state.hypothesis.confidence(), ": ", state.evidence));
    }
  }
}

/// Whether the hypothesis about the attribute applies to the candidate: step 2 of a round.
bool HypothesisSearch::applies_to(std::size_t attribute, int candidate) const {
  const int best = states_[attribute].hypothesis.value();
  const auto tested_in_class = [&](std::size_t other) {
    return std::ranges::any_of(indices_below(count()), [&](int i) {
      return can_run(i) && table_.value(i, attribute) == best && same_class(i, candidate, other);
    });
  };
  return table_.has_partner(candidate) &&
         std::ranges::all_of(indices_below(static_cast<int>(states_.size())), [&](int other) {
           const std::size_t e = at(other);
           return e == attribute || table_.value(candidate, e) < 0 || classes(e).empty() || tested_in_class(e);
         });
}

/// Step 3 of a round for one class. Returns whether candidates were removed.
bool HypothesisSearch::rule_class_out(std::size_t attribute, const std::string& name) {
  const auto is_inside = [&](int member) { return class_of(member, attribute) == name; };
  std::string evidence;
  for (const Set& set : table_.sets(attribute)) {
    const int inside = fastest_of(set, is_inside);
    const int outside = fastest_of(set, std::not_fn(is_inside));
    if (inside < 0 || outside < 0) {
      continue;
    }
    if (judged_s(inside) <= class_margin * judged_s(outside)) {
      return false;
    }
    evidence = comparison(inside, outside);
  }
  bool removed = false;
  for (int i = 0; i < count() && !evidence.empty(); ++i) {
    if (is_active(i) && table_.has_partner(i) && is_inside(i)) {
      remove(i, text("the class ", name, " of ", attributes()[attribute].name, " is excluded: ", evidence));
      removed = removed || !is_active(i);
    }
  }
  if (removed) {
    rulings_.push_back(text(attributes()[attribute].name, " is not ", name, " (", evidence, ")"));
  }
  return removed;
}

/// Step 4 of a round: returns the next batch; empty if no comparison can save a measurement.
std::vector<int> HypothesisSearch::next_batch() const {
  const Known now = measured_candidates();
  Known best = now;
  // Prefer the batch with the fewest measurements; among equals, the batch that completes the most sets of undecided
  // attributes.
  std::optional<std::pair<std::ptrdiff_t, int>> lowest;
  for (std::size_t j = 0; j < states_.size(); ++j) {
    const auto known = states_[j].confirmed ? std::nullopt : known_when_decided(j, now);
    const bool worth = known && std::ranges::any_of(indices_below(count()), [&](int i) {
                         return can_save(i, *known) && table_.value(i, j) >= 0;
                       });
    if (worth) {
      const std::pair cost{std::ranges::count(*known, true), -ready_sets_of_undecided(*known)};
      if (!lowest || cost < *lowest) {
        lowest = cost;
        best = *known;
      }
    }
  }
  for (std::size_t j = 0; j < states_.size(); ++j) {
    if (!states_[j].confirmed) {
      add_representatives(j, best);
    }
  }
  return candidates_where([&](int i) { return best[at(i)] && !is_measured(i); });
}

/// Adds sets until the attribute can be decided, each time the set with the fewest measurements per completed set.
/// Returns nullopt if the attribute cannot be decided.
std::optional<HypothesisSearch::Known> HypothesisSearch::known_when_decided(std::size_t attribute, Known known) const {
  while (ready_sets(attribute, known) < confirmations_missing(attribute)) {
    std::optional<Known> best;
    std::ptrdiff_t lowest_cost = 0;
    int completed_by_best = 0;
    const int complete = ready_sets_of_undecided(known);
    for (std::size_t s = 0; s < table_.sets(attribute).size(); ++s) {
      Known extended = known;
      for (const int member : table_.sets(attribute)[s]) {
        extended[at(member)] = known[at(member)] || is_active(member);
      }
      if (is_ready(attribute, s, known) || !is_ready(attribute, s, extended)) {
        continue;  // nothing to measure, or only one value left
      }
      const auto cost = std::ranges::count(extended, true) - std::ranges::count(known, true);
      const int completed = ready_sets_of_undecided(extended) - complete;
      if (!best || cost * completed_by_best < lowest_cost * completed) {
        best = std::move(extended);
        lowest_cost = cost;
        completed_by_best = completed;
      }
    }
    if (!best) {
      return std::nullopt;
    }
    known = std::move(*best);
  }
  return known;
}

/// Whether a decision could make the measurement of the candidate unnecessary.
bool HypothesisSearch::can_save(int candidate, const Known& known) const {
  return is_active(candidate) && !known[at(candidate)] && table_.has_partner(candidate);
}

void HypothesisSearch::add_representatives(std::size_t attribute, Known& known) const {
  for (const std::string& name : classes(attribute)) {
    const auto missing = std::ranges::count_if(
        indices_below(count()), [&](int i) { return can_save(i, known) && class_of(i, attribute) == name; });
    const Pair pair = missing < 2 ? Pair{} : representatives(attribute, name, known);
    for (const int member : {pair.inside, pair.outside}) {
      if (member >= 0) {
        known[at(member)] = true;
      }
    }
  }
}

/// The pair that needs the fewest measurements; Pair{} if no set has both sides.
HypothesisSearch::Pair HypothesisSearch::representatives(std::size_t attribute, const std::string& name,
                                                         const Known& known) const {
  Pair cheapest;
  int lowest = 3;
  for (const Set& set : table_.sets(attribute)) {
    Pair pair;
    for (const int member : set) {
      int& side = class_of(member, attribute) == name ? pair.inside : pair.outside;
      const bool eligible = can_run(member) && (is_active(member) || is_measured(member));
      if (eligible && (side < 0 || (known[at(member)] && !known[at(side)]))) {
        side = member;
      }
    }
    const bool both = pair.inside >= 0 && pair.outside >= 0;
    const int cost = both ? (known[at(pair.inside)] ? 0 : 1) + (known[at(pair.outside)] ? 0 : 1) : lowest;
    if (cost < lowest) {
      lowest = cost;
      cheapest = pair;
    }
  }
  return cheapest;
}

HypothesisSearch::Known HypothesisSearch::measured_candidates() const {
  Known result;
  for (int i = 0; i < count(); ++i) {
    result.push_back(is_measured(i));
  }
  return result;
}

/// Whether the set is not evaluated, all its active members are known, and at least two values can be compared.
bool HypothesisSearch::is_ready(std::size_t attribute, std::size_t set, const Known& known) const {
  if (states_[attribute].evaluated[set]) {
    return false;
  }
  int last = not_applicable;
  bool several = false;
  for (const int member : table_.sets(attribute)[set]) {
    if (is_active(member) && !known[at(member)]) {
      return false;
    }
    if (can_run(member) && known[at(member)]) {
      const int value = table_.value(member, attribute);
      several = several || (last != not_applicable && value != last);
      last = value;
    }
  }
  return several;
}

int HypothesisSearch::ready_sets(std::size_t attribute, const Known& known) const {
  int result = 0;
  for (std::size_t s = 0; s < table_.sets(attribute).size(); ++s) {
    result += is_ready(attribute, s, known) ? 1 : 0;
  }
  return result;
}

int HypothesisSearch::ready_sets_of_undecided(const Known& known) const {
  int result = 0;
  for (std::size_t j = 0; j < states_.size(); ++j) {
    result += states_[j].confirmed ? 0 : ready_sets(j, known);
  }
  return result;
}

int HypothesisSearch::confirmations_missing(std::size_t attribute) const {
  return confidence_needed_[attribute] - states_[attribute].hypothesis.confidence();
}

/// The fastest measured member for which \p accepts returns true, the first among equals; -1: none.
template <typename Predicate>
int HypothesisSearch::fastest_of(const Set& set, Predicate accepts) const {
  Set eligible = set;
  std::erase_if(eligible, [&](int i) { return !can_run(i) || !is_measured(i) || !accepts(i); });
  return lowest(eligible, [this](int i) { return judged_s(i); });
}

/// The named classes of an attribute.
std::vector<std::string> HypothesisSearch::classes(std::size_t attribute) const {
  std::vector<std::string> result;
  for (const AttributeValue& value : attributes()[attribute].values) {
    if (!value.value_class.empty() && std::ranges::find(result, value.value_class) == result.end()) {
      result.push_back(value.value_class);
    }
  }
  return result;
}

/// The class of the candidate's attribute value; empty: no named class.
std::string HypothesisSearch::class_of(int candidate, std::size_t attribute) const {
  const AttributeValue* const entry = attributes()[attribute].find(table_.value(candidate, attribute));
  return entry == nullptr ? "" : entry->value_class;
}

bool HypothesisSearch::same_class(int first, int second, std::size_t attribute) const {
  const std::string name = class_of(first, attribute);
  return name.empty() ? table_.value(first, attribute) == table_.value(second, attribute)
                      : name == class_of(second, attribute);
}

std::string HypothesisSearch::comparison(int first, int second) const {
  return text(candidate(first).name, " took ", duration(judged_s(first)), " and ", candidate(second).name, " took ",
              duration(judged_s(second)));
}

std::string HypothesisSearch::how() const {
  const auto skipped =
      std::ranges::count_if(indices_below(count()), [this](int i) { return can_run(i) && !is_measured(i); });
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
  return text("; ", skipped, " of ", runnable_count(), " candidates were not measured because ", join(causes, ", "));
}

Logic hypothesis() {
  return {
      "hypothesis",
      "finds the best value of each attribute by comparing codelets that differ only in this attribute, and "
      "measures only codelets "
      "with these values",
      "paper section III, thesis section 3.3.3",
      {measurements_option(),
       Option::text(confidence_name, "2",
                    "hypothesis: number of confirmations that a performance hypothesis needs; 2,partners=3 requires 2, "
                    "but 3 for the attribute partners",
                    check_confirmations)},
      make_search<HypothesisSearch>};
}

}  // namespace adcl::select
