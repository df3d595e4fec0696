#include "search/likeness.hpp"

#include <cmath>

namespace adcl::search {

namespace {

// Standard deviations of logarithms before anything is measured.
constexpr double all_alike = 0.5;   ///< of all candidates together
constexpr double same_value = 0.5;  ///< of those that share an attribute's value
constexpr double same_class = 0.5;  ///< and of those that share a class of values
constexpr double own = 0.6;         ///< of one candidate
constexpr double unknown_mean = 0.5;

}  // namespace

double expected_mean(const Candidate& candidate) {
  return std::isfinite(candidate.expected) ? candidate.expected : unknown_mean;
}

std::vector<double> means_of(const std::vector<Candidate>& candidates) {
  std::vector<double> means;
  for (const Candidate& candidate : candidates) {
    means.push_back(expected_mean(candidate));
  }
  return means;
}

std::vector<double> covariance_of(const std::vector<Candidate>& candidates, const AttributeSet& attributes) {
  const std::size_t n = candidates.size();
  std::vector<double> result(n * n, all_alike * all_alike);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = 0; j < attributes.size(); ++j) {
        const int one = candidates[i].attributes[j];
        const int other = candidates[k].attributes[j];
        if (one == not_applicable || other == not_applicable) {
          continue;
        }
        result[i * n + k] += one == other ? same_value * same_value : 0.0;
        const AttributeValue* const first = attributes[j].find(one);
        const AttributeValue* const second = attributes[j].find(other);
        const bool together = first != nullptr && second != nullptr && !first->value_class.empty() &&
                              first->value_class == second->value_class;
        result[i * n + k] += together ? same_class * same_class : 0.0;
      }
    }
    result[i * n + i] += own * own;
  }
  return result;
}

}  // namespace adcl::search
