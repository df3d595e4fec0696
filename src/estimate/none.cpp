/// The plain mean, thesis eq. 5.2: every measurement counts.
#include <limits>
#include <numeric>

#include "estimate/methods.hpp"

namespace adcl::estimate {

double mean(std::span<const double> samples) {
  if (samples.empty()) {
    return 0.0;
  }
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

namespace none {

Numbers summarise(std::span<const double> samples, const Parameters& /*parameters*/) {
  Numbers numbers;
  numbers.mean_s = mean(samples);
  numbers.filtered_mean_s = numbers.mean_s;
  numbers.measurements = static_cast<double>(samples.size());
  return numbers;
}

double judge(const Numbers& reduced, const Parameters& /*parameters*/) {
  return reduced.measurements > 0.0 ? reduced.mean_s : std::numeric_limits<double>::infinity();
}

}  // namespace none

}  // namespace adcl::estimate
