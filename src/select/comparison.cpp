#include "select/comparison.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/attribute.hpp"
#include "select/at.hpp"

namespace adcl::select {

namespace {

using Values = ComparisonTable::Values;
using Set = ComparisonTable::Set;

/// For each attribute: whether candidate \p d lacks the attribute as a consequence of its value v of another attribute,
/// because no candidate with v has the attribute.
std::vector<bool> explained_lacks(const Values& d, const std::vector<Values>& values) {
  std::vector<bool> explained(d.size(), false);
  for (std::size_t e = 0; e < d.size(); ++e) {
    for (std::size_t i = 0; i < d.size(); ++i) {
      const auto has_both = [&](const Values& other) { return other[e] == d[e] && other[i] >= 0; };
      explained[i] = explained[i] || (d[e] >= 0 && d[i] < 0 && std::ranges::none_of(values, has_both));
    }
  }
  return explained;
}

/// Whether candidate \p d fits the values \p around of the attributes other than \p j, as the header defines it.
bool fits(const Values& d, const std::vector<bool>& explained, const Values& around, std::size_t j) {
  for (std::size_t i = 0; i < d.size(); ++i) {
    if (i != j && (d[i] >= 0 ? d[i] != around[i] : !explained[i])) {
      return false;
    }
  }
  return true;
}

/// The candidate to whose comparison set \p d belongs for attribute \p j; nullptr: none.
const Values* home(const Values& d, const std::vector<bool>& explained, const std::vector<Values>& values,
                   std::size_t j) {
  const auto number_of_values = [](const Values& of) {
    return std::ranges::count_if(of, [](int v) { return v >= 0; });
  };
  const Values* best = nullptr;
  for (const Values& around : values) {
    const bool candidate = around[j] >= 0 && fits(d, explained, around, j);
    if (candidate && (best == nullptr || number_of_values(around) > number_of_values(*best))) {
      best = &around;
    }
  }
  return best;
}

std::vector<Set> sets_of(std::size_t j, const std::vector<Values>& values,
                         const std::vector<std::vector<bool>>& explained) {
  std::map<Values, Set> members;  // by the values of the other attributes
  for (std::size_t c = 0; c < values.size(); ++c) {
    const Values* const around = values[c][j] >= 0 ? home(values[c], explained[c], values, j) : nullptr;
    if (around != nullptr) {
      Values others = *around;
      others[j] = 0;
      members[others].push_back(static_cast<int>(c));
    }
  }
  std::vector<Set> result;
  for (const auto& [others, set] : members) {
    const int first = values[at(set.front())][j];
    if (std::ranges::any_of(set, [&](int member) { return values[at(member)][j] != first; })) {
      result.push_back(set);
    }
  }
  std::ranges::sort(result);
  return result;
}

}  // namespace

ComparisonTable::ComparisonTable(std::vector<Values> values)
    : values_(std::move(values)), has_partner_(values_.size(), false) {
  static_assert(not_applicable < 0);
  std::vector<std::vector<bool>> explained;
  for (const Values& d : values_) {
    explained.push_back(explained_lacks(d, values_));
  }
  const std::size_t attributes = values_.empty() ? 0 : values_.front().size();
  for (std::size_t j = 0; j < attributes; ++j) {
    sets_.push_back(sets_of(j, values_, explained));
    for (const Set& set : sets_.back()) {
      for (const int member : set) {
        has_partner_[at(member)] = true;
      }
    }
  }
}

}  // namespace adcl::select
