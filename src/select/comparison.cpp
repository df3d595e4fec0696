#include "select/comparison.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/attribute.hpp"

namespace adcl::select {

namespace {

using Values = std::vector<int>;
using Set = std::vector<int>;

/// Finds, for an attribute and one of its values, the attributes that no candidate with this value has.
class Nesting {
 public:
  explicit Nesting(const std::vector<Values>& values) {
    for (const Values& candidate : values) {
      for (std::size_t e = 0; e < candidate.size(); ++e) {
        if (candidate[e] < 0) {
          continue;
        }
        auto& lacked = lacked_.try_emplace({e, candidate[e]}, candidate.size(), true).first->second;
        for (std::size_t i = 0; i < candidate.size(); ++i) {
          lacked[i] = lacked[i] && candidate[i] < 0;
        }
      }
    }
  }

  [[nodiscard]] bool explains(std::size_t attribute, int value, std::size_t lacking) const {
    const auto found = lacked_.find({attribute, value});
    return found != lacked_.end() && found->second[lacking];
  }

 private:
  std::map<std::pair<std::size_t, int>, std::vector<bool>> lacked_;
};

/// The rule of the header: candidate \p d fits the other attributes of \p around when attribute \p j is compared.
bool fits(const Values& d, const Values& around, std::size_t j, const Nesting& nesting) {
  if (d[j] < 0) {
    return false;
  }
  for (std::size_t i = 0; i < d.size(); ++i) {
    if (i == j) {
      continue;
    }
    if (d[i] >= 0) {
      if (d[i] != around[i]) {
        return false;
      }
      continue;
    }
    bool explained = false;
    for (std::size_t e = 0; e < d.size() && !explained; ++e) {
      explained = d[e] >= 0 && nesting.explains(e, d[e], i);
    }
    if (!explained) {
      return false;
    }
  }
  return true;
}

std::size_t number_of_values(const Values& values) {
  return static_cast<std::size_t>(std::count_if(values.begin(), values.end(), [](int value) { return value >= 0; }));
}

/// Candidates with equal values of all attributes but one.
struct Group {
  const Values* around;
  Set members;
};

/// Groups for attribute \p j in the order of their first members; \p around stores the values that they refer to.
std::vector<Group> groups_of(std::size_t j, const std::vector<Values>& values, std::map<Values, std::size_t>& around) {
  std::vector<Group> groups;
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (values[c][j] < 0) {
      continue;
    }
    Values others = values[c];
    others[j] = 0;
    const auto [place, inserted] = around.try_emplace(std::move(others), groups.size());
    if (inserted) {
      groups.push_back({&place->first, {}});
    }
    groups[place->second].members.push_back(static_cast<int>(c));
  }
  return groups;
}

/// The group in which candidate \p d is compared; nullptr: none.
const Group* home(const Values& d, std::size_t j, const std::vector<Group>& groups, const Nesting& nesting) {
  const Group* best = nullptr;
  for (const Group& group : groups) {
    const bool fuller = best == nullptr || number_of_values(*group.around) > number_of_values(*best->around);
    if (fuller && fits(d, *group.around, j, nesting)) {
      best = &group;
    }
  }
  return best;
}

std::vector<Set> sets_of(std::size_t j, const std::vector<Values>& values, const Nesting& nesting) {
  std::map<Values, std::size_t> around;
  const std::vector<Group> groups = groups_of(j, values, around);
  std::map<const Group*, std::set<int>> sets;
  for (const Group& group : groups) {
    for (const int c : group.members) {
      const Values& d = values[static_cast<std::size_t>(c)];
      // A candidate that has all attributes fits only its own group.
      const Group* const place = number_of_values(d) == d.size() ? &group : home(d, j, groups, nesting);
      if (place != nullptr) {
        sets[place].insert(c);
      }
    }
  }
  std::vector<Set> result;
  for (const auto& [group, members] : sets) {
    const int first = values[static_cast<std::size_t>(*members.begin())][j];
    if (std::any_of(members.begin(), members.end(),
                    [&](int member) { return values[static_cast<std::size_t>(member)][j] != first; })) {
      result.emplace_back(members.begin(), members.end());
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace

ComparisonTable::ComparisonTable(std::vector<std::vector<int>> values)
    : values_(std::move(values)), memberships_(values_.size()) {
  static_assert(not_applicable < 0);
  const Nesting nesting(values_);
  const std::size_t attributes = values_.empty() ? 0 : values_.front().size();
  for (std::size_t j = 0; j < attributes; ++j) {
    sets_.push_back(sets_of(j, values_, nesting));
    for (std::size_t s = 0; s < sets_[j].size(); ++s) {
      for (const int member : sets_[j][s]) {
        memberships_[static_cast<std::size_t>(member)].emplace_back(j, s);
      }
    }
  }
}

}  // namespace adcl::select
