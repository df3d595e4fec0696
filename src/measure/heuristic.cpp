/// The heuristic of thesis section 5.2.1, first used in paper section II-A: a measurement is an outlier if it exceeds b
/// times the smallest measurement. A few outliers are excluded as disturbances. Many outliers are a property of the
/// codelet on this machine (thesis Fig. 5.1), and are included.
#include <algorithm>
#include <iterator>
#include <vector>

#include "measure/estimator.hpp"
#include "measure/mean.hpp"

namespace adcl::measure {
namespace {

constexpr const char* bound_name = "ADCL_OUTLIER_BOUND";  // b, at least 1

Numbers summarize(std::span<const double> samples, const OptionValues& options) {
  if (samples.empty()) {
    return {};
  }
  const double bound_s = options.real(bound_name) * std::ranges::min(samples);
  std::vector<double> accepted;
  std::ranges::copy_if(samples, std::back_inserter(accepted), [bound_s](double sample) { return sample <= bound_s; });
  return numbers_of(samples, accepted);
}

double judge(const Numbers& reduced, const OptionValues& options) {
  const bool few = reduced.outliers <= max_outliers(options, reduced.measurements);
  return reduced.measurements <= 0.0 || few ? judge_filtered(reduced, options) : reduced.mean_s;
}

}  // namespace

Estimator heuristic() {
  return {
      "heuristic",
      "the mean without measurements above ADCL_OUTLIER_BOUND times the smallest measurement, unless these are more "
      "than the fraction ADCL_OUTLIER_FRACTION of the measurements of some rank",
      "thesis section 5.2.1, paper section II-A",
      {Option::real(bound_name, 1.0, 1e9, "2",
                    "heuristic: a measurement above this multiple of the codelet's fastest measurement is an outlier"),
       outlier_fraction()},
      summarize,
      judge};
}

}  // namespace adcl::measure
