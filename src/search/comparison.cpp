#include "search/comparison.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/attribute.hpp"

namespace adcl::search {

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

/// The rule of the header for candidate \p d, attribute \p j and the other attributes of \p around.
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
      explained = d[e] >= 0 && (e == j || d[e] == around[e]) && nesting.explains(e, d[e], i);
    }
    if (!explained) {
      return false;
    }
  }
  return true;
}

bool several_values(const Set& members, const std::vector<Values>& values, std::size_t j) {
  const int first = values[static_cast<std::size_t>(members.front())][j];
  return std::any_of(members.begin(), members.end(),
                     [&](int member) { return values[static_cast<std::size_t>(member)][j] != first; });
}

/// Sets that are not contained in another one, ordered by their members.
std::vector<Set> maximal(const std::set<Set>& sets) {
  std::vector<Set> result;
  for (const Set& set : sets) {
    const bool contained = std::any_of(sets.begin(), sets.end(), [&set](const Set& other) {
      return other.size() > set.size() && std::includes(other.begin(), other.end(), set.begin(), set.end());
    });
    if (!contained) {
      result.push_back(set);
    }
  }
  return result;
}

std::vector<Set> sets_of(std::size_t j, const std::vector<Values>& values, const Nesting& nesting) {
  std::map<Values, Set> groups;  // candidates with the same values of all attributes but j
  std::vector<int> incomplete;   // candidates that lack something, and may join other groups
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (values[c][j] < 0) {
      continue;
    }
    Values others = values[c];
    others[j] = 0;
    groups[std::move(others)].push_back(static_cast<int>(c));
    if (std::any_of(values[c].begin(), values[c].end(), [](int value) { return value < 0; })) {
      incomplete.push_back(static_cast<int>(c));
    }
  }
  std::set<Set> sets;
  for (const auto& [around, group] : groups) {
    std::set<int> members;
    for (const int c : group) {
      if (fits(values[static_cast<std::size_t>(c)], around, j, nesting)) {
        members.insert(c);
      }
    }
    if (members.empty()) {
      continue;
    }
    for (const int c : incomplete) {
      if (fits(values[static_cast<std::size_t>(c)], around, j, nesting)) {
        members.insert(c);
      }
    }
    Set set(members.begin(), members.end());
    if (several_values(set, values, j)) {
      sets.insert(std::move(set));
    }
  }
  return incomplete.empty() ? std::vector<Set>(sets.begin(), sets.end()) : maximal(sets);
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

}  // namespace adcl::search
