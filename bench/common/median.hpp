/// \file median.hpp
/// Medians with confidence intervals, for benches.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

namespace bench {

struct Interval {
  double median;
  double low;
  double high;
};

/// The median with its 95 % confidence interval from order statistics.
inline Interval median_of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto n = static_cast<double>(samples.size());
  const double half = 0.98 * std::sqrt(n);  // 1.96 standard deviations of a binomial(n, 1/2)
  const auto at = [&](double position) { return samples[static_cast<std::size_t>(std::clamp(position, 0.0, n - 1))]; };
  return {at(n / 2), at(n / 2 - half), at(n / 2 + half)};
}

/// The median with the quartiles.
inline Interval quartiles_of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double fraction) {
    return samples[static_cast<std::size_t>(fraction * static_cast<double>(samples.size() - 1) + 0.5)];
  };
  return {at(0.5), at(0.25), at(0.75)};
}

/// Every second sample, beginning with number \p first.
inline std::vector<double> half(const std::vector<double>& samples, std::size_t first) {
  std::vector<double> chosen;
  for (std::size_t i = first; i < samples.size(); i += 2) {
    chosen.push_back(samples[i]);
  }
  return chosen;
}

/// The ratio of the two samples of each round.
inline std::vector<double> ratios(const std::vector<double>& of, const std::vector<double>& to) {
  std::vector<double> found(of.size());
  std::transform(of.begin(), of.end(), to.begin(), found.begin(), std::divides{});
  return found;
}

}  // namespace bench
