/// The heuristic of thesis section 5.2.1, first used in paper section II-A: a measurement is an outlier when it exceeds
/// b times the smallest one. A few outliers are accidents and are left out; many are a property of the codelet on this
/// machine (thesis Fig. 5.1) and count.
#include <algorithm>
#include <limits>
#include <vector>

#include "measure/estimator.hpp"
#include "measure/mean.hpp"

namespace adcl::measure {
namespace {

constexpr const char* bound_name = "ADCL_OUTLIER_BOUND";        // b
constexpr const char* fraction_name = "ADCL_OUTLIER_FRACTION";  // n_o^max as a fraction of the measurements

Numbers summarise(std::span<const double> samples, const OptionValues& options) {
  if (samples.empty()) {
    return {};
  }
  const double bound_s = options.real(bound_name) * *std::min_element(samples.begin(), samples.end());
  std::vector<double> accepted;
  accepted.reserve(samples.size());
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(accepted),
               [bound_s](double sample) { return sample <= bound_s; });
  // A bound below 1, which no option allows, would leave no sample.
  Numbers numbers = filtered(samples, accepted.empty() ? samples : accepted);
  numbers.outliers = static_cast<double>(samples.size() - accepted.size());
  return numbers;
}

double judge(const Numbers& reduced, const OptionValues& options) {
  if (reduced.measurements <= 0.0) {
    return std::numeric_limits<double>::infinity();
  }
  // 0.29 * 100 is slightly less than 29.
  constexpr double rounding = 1e-9;
  const double accepted = options.real(fraction_name) * reduced.measurements + rounding;
  return reduced.outliers <= accepted ? reduced.filtered_mean_s : reduced.mean_s;
}

}  // namespace

Estimator heuristic() {
  return {"heuristic",
          "the mean without measurements above ADCL_OUTLIER_BOUND times the smallest one, unless these are more than "
          "the fraction ADCL_OUTLIER_FRACTION on some rank",
          "thesis section 5.2.1, paper section II-A",
          {Option::real(bound_name, 1.0, 1e9, "2",
                        "heuristic: a measurement above this multiple of the codelet's fastest one is an outlier"),
           outlier_fraction()},
          summarise,
          judge};
}

}  // namespace adcl::measure
