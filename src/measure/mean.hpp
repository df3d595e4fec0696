/// \file mean.hpp
/// Functions that several statistical methods share. Pure.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>

#include "measure/estimator.hpp"

namespace adcl::measure {

/// Whether \p seconds is a valid time. 0 is valid, because coarse clocks return it.
inline bool is_time(double seconds) { return std::isfinite(seconds) && seconds >= 0.0; }

/// Arithmetic mean; 0 without samples.
inline double mean(std::span<const double> samples) {
  if (samples.empty()) {
    return 0.0;
  }
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

/// Sample variance; 0 for fewer than two samples.
inline double variance(std::span<const double> samples) {
  if (samples.size() < 2) {
    return 0.0;
  }
  const double center = mean(samples);
  const double squares = std::accumulate(samples.begin(), samples.end(), 0.0, [center](double sum, double sample) {
    return sum + (sample - center) * (sample - center);
  });
  return squares / static_cast<double>(samples.size() - 1);
}

/// Sample standard deviation; 0 for fewer than two samples.
inline double deviation(std::span<const double> samples) { return std::sqrt(variance(samples)); }

/// The quantile \p part, from 0 to 1, of \p sorted, with linear interpolation. \p sorted must not be empty.
inline double quantile(std::span<const double> sorted, double part) {
  const double position = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const double above = below + 1 < sorted.size() ? sorted[below + 1] : sorted[below];
  return sorted[below] + (position - static_cast<double>(below)) * (above - sorted[below]);
}

/// The numbers of a method that averages only the \p accepted samples.
inline Numbers numbers_of(std::span<const double> samples, std::span<const double> accepted) {
  return {mean(samples), mean(accepted), static_cast<double>(samples.size() - accepted.size()),
          static_cast<double>(samples.size()), deviation(accepted)};
}

/// Estimator::judge of methods that use the filtered mean for any number of outliers (thesis eq. 5.4).
inline double judge_filtered(const Numbers& reduced, const OptionValues& /*options*/) {
  return reduced.measurements > 0.0 ? reduced.filtered_mean_s : std::numeric_limits<double>::infinity();
}

inline constexpr const char* outlier_fraction_name = "ADCL_OUTLIER_FRACTION";

/// Option of the methods that limit the number of outliers: n_o^max as a fraction of the measurements.
inline Option outlier_fraction() {
  return Option::real(
      outlier_fraction_name, 0.0, 1.0, "0.2",
      "heuristic and cluster: largest fraction of the measurements that may be outliers; with more outliers, "
      "heuristic uses all measurements");
}

/// n_o^max for this number of measurements.
inline double max_outliers(const OptionValues& options, double measurements) {
  constexpr double rounding = 1e-9;  // 0.29 * 100 is slightly less than 29
  return options.real(outlier_fraction_name) * measurements + rounding;
}

}  // namespace adcl::measure
