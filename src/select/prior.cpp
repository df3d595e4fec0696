#include "select/prior.hpp"

#include <algorithm>
#include <cmath>

#include "core/elementary.hpp"
#include "select/model/model_constants.hpp"

namespace adcl::select {

namespace {

/// Returns the index of \p name in \p names, after appending it if it is new.
int number_of(const std::string& name, std::vector<const std::string*>& names) {
  const auto found = std::find_if(names.begin(), names.end(), [&](const std::string* known) { return *known == name; });
  const auto place = found - names.begin();
  if (found == names.end()) {
    names.push_back(&name);
  }
  return static_cast<int>(place);
}

}  // namespace

double prior_mean(const Candidate& candidate) {
  return std::isfinite(candidate.expected.log_time) ? candidate.expected.log_time : shared_spread;
}

double expected_first_cost(const Candidate& candidate) {
  return std::isfinite(candidate.expected.first)
             ? std::max(candidate.expected.first - exponential(prior_mean(candidate)), 0.0)
             : usual_first;
}

std::vector<double> prior_means(const std::vector<Candidate>& candidates) {
  std::vector<double> means;
  for (const Candidate& candidate : candidates) {
    means.push_back(prior_mean(candidate));
  }
  return means;
}

std::vector<double> prior_covariance(const std::vector<Candidate>& candidates, const AttributeSet& attributes) {
  const std::size_t n = candidates.size();
  constexpr double variance = shared_spread * shared_spread;
  std::vector<double> result(n * n, variance);
  std::vector<int> values(n);
  std::vector<int> classes(n);  // class numbers; negative: none
  for (std::size_t j = 0; j < attributes.size(); ++j) {
    std::vector<const std::string*> names;
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = candidates[i].attributes[j];
      const AttributeValue* const entry = values[i] == not_applicable ? nullptr : attributes[j].find(values[i]);
      classes[i] = entry == nullptr || entry->value_class.empty() ? -1 : number_of(entry->value_class, names);
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k <= i; ++k) {
        const bool same = values[i] == values[k] && values[i] != not_applicable;
        const bool together = classes[i] == classes[k] && classes[i] >= 0;
        result[i * n + k] += (same ? variance : 0.0) + (together ? variance : 0.0);
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    result[i * n + i] += own_spread * own_spread;
    for (std::size_t k = 0; k < i; ++k) {
      result[k * n + i] = result[i * n + k];
    }
  }
  return result;
}

}  // namespace adcl::select
