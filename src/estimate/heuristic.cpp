/// The heuristic of thesis section 5.2.1, first used in paper section II-A: a measurement is an outlier when it exceeds
/// b times the smallest one. A few outliers are accidents and are left out; many are a property of the codelet on this
/// machine (thesis Fig. 5.1) and count.
#include <algorithm>
#include <limits>
#include <vector>

#include "estimate/methods.hpp"

namespace adcl::estimate::heuristic {

Numbers summarise(std::span<const double> samples, const Parameters& parameters) {
  Numbers numbers;
  if (samples.empty()) {
    return numbers;
  }
  const double bound_s = parameters.outlier_bound * *std::min_element(samples.begin(), samples.end());
  std::vector<double> accepted;
  accepted.reserve(samples.size());
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(accepted),
               [bound_s](double sample) { return sample <= bound_s; });
  numbers.mean_s = mean(samples);
  // With a bound below 1, which no option allows, nothing would be left.
  numbers.filtered_mean_s = accepted.empty() ? numbers.mean_s : mean(accepted);
  numbers.outliers = static_cast<double>(samples.size() - accepted.size());
  numbers.measurements = static_cast<double>(samples.size());
  return numbers;
}

double judge(const Numbers& reduced, const Parameters& parameters) {
  if (reduced.measurements <= 0.0) {
    return std::numeric_limits<double>::infinity();
  }
  // 0.29 * 100 is slightly less than 29.
  constexpr double rounding = 1e-9;
  const double accepted = parameters.outlier_fraction * reduced.measurements + rounding;
  return reduced.outliers <= accepted ? reduced.filtered_mean_s : reduced.mean_s;
}

}  // namespace adcl::estimate::heuristic
