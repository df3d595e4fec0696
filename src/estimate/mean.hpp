/// \file mean.hpp
/// What most statistical methods begin with. Pure.
#pragma once

#include <cmath>
#include <numeric>
#include <span>

namespace adcl::estimate {

/// Arithmetic mean; 0 without samples.
inline double mean(std::span<const double> samples) {
  if (samples.empty()) {
    return 0.0;
  }
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

/// Standard deviation of the population that the samples come from; 0 with fewer than two.
inline double deviation(std::span<const double> samples) {
  if (samples.size() < 2) {
    return 0.0;
  }
  const double centre = mean(samples);
  const double squares = std::accumulate(samples.begin(), samples.end(), 0.0, [centre](double sum, double sample) {
    return sum + (sample - centre) * (sample - centre);
  });
  return std::sqrt(squares / static_cast<double>(samples.size() - 1));
}

}  // namespace adcl::estimate
