#include "select/model/paired.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "measure/mean.hpp"
#include "select/at.hpp"

namespace adcl::select {

namespace {

constexpr std::size_t trimmed_part = 5;  ///< a fifth of the values is trimmed at each end, as in Yuen's paper

/// The sorted values without \p left_out values at each end.
std::span<const double> core_of(const std::vector<double>& sorted, std::size_t left_out) {
  return std::span(sorted).subspan(left_out, sorted.size() - 2 * left_out);
}

/// Variance after replacing \p left_out values at each end with the nearest remaining value.
double winsorized_variance(const std::vector<double>& sorted, std::size_t left_out) {
  const auto core = core_of(sorted, left_out);
  std::vector<double> winsorized(sorted);
  for (double& value : winsorized) {
    value = std::clamp(value, core.front(), core.back());
  }
  return measure::variance(winsorized);
}

}  // namespace

double Difference::lower() const { return std::isfinite(error) ? mean - far * error : -infinity; }

double Difference::upper() const { return std::isfinite(error) ? mean + far * error : infinity; }

Difference paired_difference(std::span<const double> first, std::span<const double> second,
                             std::optional<std::size_t> left_out) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
    if (std::isfinite(first[i]) && std::isfinite(second[i])) {
      differences.push_back(first[i] - second[i]);
    }
  }
  Difference result;
  result.pairs = static_cast<int>(differences.size());
  result.error = infinity;
  if (differences.empty()) {
    return result;
  }
  std::sort(differences.begin(), differences.end());
  const std::size_t few_enough = (differences.size() - std::min<std::size_t>(differences.size(), fewest_pairs)) / 2;
  const std::size_t ends = std::min(left_out.value_or(differences.size() / trimmed_part), few_enough);
  const auto core = core_of(differences, ends);
  result.mean = measure::mean(core);
  if (result.pairs < fewest_pairs) {
    return result;
  }
  const auto all = static_cast<double>(differences.size());
  const auto kept = static_cast<double>(core.size());
  result.error = std::sqrt(winsorized_variance(differences, ends) * (all - 1.0) / (kept * (kept - 1.0)));
  return result;
}

double trimmed_mean(std::span<const double> values) {
  std::vector<double> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite),
               [](double value) { return std::isfinite(value); });
  if (finite.empty()) {
    return infinity;
  }
  std::sort(finite.begin(), finite.end());
  return measure::mean(core_of(finite, finite.size() / trimmed_part));
}

}  // namespace adcl::select
