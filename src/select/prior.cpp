#include "select/prior.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/elementary.hpp"
#include "select/model/model_constants.hpp"

namespace adcl::select {

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
  std::ranges::transform(candidates, std::back_inserter(means), prior_mean);
  return means;
}

std::vector<double> prior_covariance(const std::vector<Candidate>& candidates, const AttributeSet& attributes) {
  const std::size_t n = candidates.size();
  constexpr double variance = shared_spread * shared_spread;
  std::vector<double> result(n * n, variance);
  std::vector<int> values(n);
  std::vector<std::string> classes(n);  // empty: none
  for (std::size_t j = 0; j < attributes.size(); ++j) {
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = candidates[i].attributes[j];
      const AttributeValue* const entry = values[i] == not_applicable ? nullptr : attributes[j].find(values[i]);
      classes[i] = entry == nullptr ? "" : entry->value_class;
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k <= i; ++k) {
        const bool same = values[i] == values[k] && values[i] != not_applicable;
        const bool together = classes[i] == classes[k] && !classes[i].empty();
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
