#include "measure/drift.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/elementary.hpp"

namespace adcl::measure {

namespace {

constexpr double smallest_ratio = 1.25;  ///< smallest ratio of a drift, if checks scatter little
constexpr double surest_ratio = 2.0;     ///< smallest ratio that is a drift even if checks scatter
constexpr double deviations = 4.0;
constexpr double least_s = 1e-9;  ///< clocks may return 0

template <typename Values>
double mean(const Values& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation(const std::vector<double>& values) {
  const double centre = mean(values);
  double squares = 0.0;
  for (const double value : values) {
    squares += (value - centre) * (value - centre);
  }
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

}  // namespace

void Drift::record(double seconds) {
  if (std::isfinite(seconds) && seconds >= 0.0 && samples_.size() < samples_per_check) {
    samples_.push_back(seconds);
  }
}

void Drift::amend(double seconds) {
  if (std::isfinite(seconds) && seconds >= 0.0 && !samples_.empty()) {
    samples_.back() = seconds;
  }
}

double Drift::take(bool whole) {
  if (samples_.empty()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const auto middle = samples_.begin() + static_cast<std::ptrdiff_t>(samples_.size() / 2);
  std::nth_element(samples_.begin(), middle, samples_.end());
  const double seconds = whole ? mean(samples_) : *middle;
  samples_.clear();
  return seconds;
}

void Drift::judge(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0.0) {
    return;
  }
  const double now = logarithm(std::max(seconds, least_s));
  if (usual_.size() < usual_checks) {
    usual_.push_back(now);
    return;
  }
  last_.push_back(now);
  if (last_.size() > last_checks) {
    last_.pop_front();
  }
}

double Drift::difference() const {
  if (last_.size() < last_checks) {
    return 0.0;
  }
  const auto [least, most] = std::minmax_element(last_.begin(), last_.end());
  const double centre = mean(usual_);
  if (*least > centre) {
    return *least - centre;
  }
  return *most < centre ? *most - centre : 0.0;
}

double Drift::score() const {
  if (last_.size() < last_checks) {
    return 0.0;
  }
  return std::abs(difference()) /
         std::clamp(deviations * deviation(usual_), logarithm(smallest_ratio), logarithm(surest_ratio));
}

double Drift::ratio() const { return exponential(difference()); }

}  // namespace adcl::measure
