// Planning of the hypothesis search: which comparisons are the cheapest to complete.
#include <algorithm>
#include <utility>

#include "select/at.hpp"
#include "select/hypothesis/hypothesis.hpp"

namespace adcl::select {

namespace {

std::vector<bool> with(std::vector<bool> batch, const std::vector<int>& added) {
  for (const int member : added) {
    batch[at(member)] = true;
  }
  return batch;
}

}  // namespace

/// Step 4 of a round: the next batch; empty if no comparison can save a measurement.
std::vector<int> HypothesisSearch::next_batch() const {
  Question best;
  best.batch.assign(at(count()), false);
  for (std::size_t j = 0; j < states_.size(); ++j) {
    if (states_[j].confirmed) {
      continue;
    }
    Question candidate = question(j);
    const bool cheaper = !best.possible || candidate.measurements < best.measurements ||
                         (candidate.measurements == best.measurements && candidate.completed > best.completed);
    if (candidate.possible && cheaper && worth(j, candidate.batch)) {
      best = std::move(candidate);
    }
  }
  for (std::size_t j = 0; j < states_.size(); ++j) {
    if (!states_[j].confirmed) {
      add_representatives(j, best.batch);
    }
  }
  std::vector<int> members;
  for (int i = 0; i < count(); ++i) {
    if (best.batch[at(i)]) {
      members.push_back(i);
    }
  }
  return members;
}

/// Adds sets until the attribute can be decided, always the one with the fewest measurements per completed set.
HypothesisSearch::Question HypothesisSearch::question(std::size_t attribute) const {
  Question result;
  result.batch.assign(at(count()), false);
  const int needed = confidence_needed_ - states_[attribute].hypothesis.confidence();
  const auto& sets = table_.sets(attribute);
  while (ready_sets(attribute, result.batch) < needed) {
    const Set* cheapest = nullptr;
    int cost = 0;
    int gain = 0;
    for (std::size_t s = 0; s < sets.size(); ++s) {
      if (states_[attribute].evaluated[s] || complete(attribute, sets[s], result.batch)) {
        continue;
      }
      const Set added = to_measure(sets[s], result.batch);
      const Batch extended = with(result.batch, added);
      if (!complete(attribute, sets[s], extended)) {
        continue;  // the set has only one value left
      }
      const int completed = completed_by(added, extended);
      if (cheapest == nullptr || static_cast<int>(added.size()) * gain < cost * completed) {
        cheapest = &sets[s];
        cost = static_cast<int>(added.size());
        gain = completed;
      }
    }
    if (cheapest == nullptr) {
      return result;
    }
    extend(result, *cheapest);
  }
  result.possible = true;
  return result;
}

void HypothesisSearch::extend(Question& question, const Set& set) const {
  const Set added = to_measure(set, question.batch);
  question.batch = with(question.batch, added);
  question.measurements += static_cast<int>(added.size());
  question.completed += completed_by(added, question.batch);
}

/// Deciding the attribute could save a measurement.
bool HypothesisSearch::worth(std::size_t attribute, const Batch& batch) const {
  for (int i = 0; i < count(); ++i) {
    if (active(i) && !known(i, batch) && table_.has_partner(i) && table_.value(i, attribute) >= 0) {
      return true;
    }
  }
  return false;
}

void HypothesisSearch::add_representatives(std::size_t attribute, Batch& batch) const {
  for (const std::string& name : classes(attribute)) {
    int open = 0;
    for (int i = 0; i < count(); ++i) {
      const bool spared = active(i) && !known(i, batch) && table_.has_partner(i) && class_of(i, attribute) == name;
      open += spared ? 1 : 0;
    }
    if (open < 2) {
      continue;
    }
    const Pair pair = representatives(attribute, name, batch);
    for (const int member : {pair.inside, pair.outside}) {
      if (member >= 0 && !known(member, batch)) {
        batch[at(member)] = true;
      }
    }
  }
}

/// The pair that needs the fewest measurements; none if no set has both sides.
HypothesisSearch::Pair HypothesisSearch::representatives(std::size_t attribute, const std::string& name,
                                                         const Batch& batch) const {
  Pair cheapest;
  int lowest = 3;
  for (const Set& set : table_.sets(attribute)) {
    Pair pair;
    for (const int member : set) {
      if (!usable(member) || (!active(member) && !measured(member))) {
        continue;
      }
      int& side = class_of(member, attribute) == name ? pair.inside : pair.outside;
      if (side < 0 || (known(member, batch) && !known(side, batch))) {
        side = member;
      }
    }
    if (pair.inside < 0 || pair.outside < 0) {
      continue;
    }
    const int cost = (known(pair.inside, batch) ? 0 : 1) + (known(pair.outside, batch) ? 0 : 1);
    if (cost < lowest) {
      lowest = cost;
      cheapest = pair;
    }
  }
  return cheapest;
}

bool HypothesisSearch::known(int candidate, const Batch& batch) const {
  return measured(candidate) || batch[at(candidate)];
}

HypothesisSearch::Set HypothesisSearch::to_measure(const Set& set, const Batch& batch) const {
  Set result;
  std::copy_if(set.begin(), set.end(), std::back_inserter(result),
               [&](int member) { return active(member) && !known(member, batch); });
  return result;
}

/// Number of sets of undecided attributes that are complete with \p batch, but not without \p added.
int HypothesisSearch::completed_by(const Set& added, const Batch& batch) const {
  std::set<std::pair<std::size_t, std::size_t>> touched;
  for (const int member : added) {
    touched.insert(table_.memberships(member).begin(), table_.memberships(member).end());
  }
  return static_cast<int>(std::count_if(touched.begin(), touched.end(), [&](const auto& place) {
    const auto [j, s] = place;
    return !states_[j].confirmed && !states_[j].evaluated[s] && complete(j, table_.sets(j)[s], batch);
  }));
}

}  // namespace adcl::select
