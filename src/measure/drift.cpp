#include "measure/drift.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/elementary.hpp"
#include "measure/mean.hpp"

namespace adcl::measure {

namespace {

constexpr double smallest_ratio = 1.25;  ///< smaller ratios are never a drift
constexpr double surest_ratio = 2.0;     ///< larger ratios are always a drift
constexpr double deviations = 4.0;       ///< a drift exceeds this number of standard deviations
constexpr double least_s = 1e-9;         ///< replaces a time of 0 from a coarse clock

}  // namespace

void Drift::record(double seconds) {
  if (is_time(seconds) && samples_.size() < samples_per_check) {
    samples_.push_back(seconds);
  }
}

void Drift::amend(double seconds) {
  if (is_time(seconds) && !samples_.empty()) {
    samples_.back() = seconds;
  }
}

double Drift::finish_check(bool whole) {
  if (samples_.empty()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  std::ranges::sort(samples_);
  const double seconds = whole ? mean(samples_) : samples_[samples_.size() / 2];
  samples_.clear();
  return seconds;
}

void Drift::judge(double seconds) {
  if (!is_time(seconds)) {
    return;
  }
  const double now = logarithm(std::max(seconds, least_s));
  if (usual_.size() < usual_checks) {
    usual_.push_back(now);
    return;
  }
  if (last_.size() == last_checks) {
    last_.erase(last_.begin());
  }
  last_.push_back(now);
}

double Drift::difference() const {
  if (last_.size() < last_checks) {
    return 0.0;
  }
  const auto [least, most] = std::ranges::minmax(last_);
  const double usual = mean(usual_);
  if (least > usual) {
    return least - usual;
  }
  return most < usual ? most - usual : 0.0;
}

double Drift::score() const {
  return std::abs(difference()) /
         std::clamp(deviations * deviation(usual_), logarithm(smallest_ratio), logarithm(surest_ratio));
}

double Drift::ratio() const { return exponential(difference()); }

}  // namespace adcl::measure
