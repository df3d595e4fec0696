/// The interquartile range method of thesis section 5.2.2: a measurement is an outlier if it lies more than 1.5
/// interquartile ranges below the first or above the third quartile. O(n log n).
#include <algorithm>
#include <vector>

#include "measure/estimator.hpp"
#include "measure/mean.hpp"

namespace adcl::measure {
namespace {

constexpr double fence = 1.5;  ///< interquartile ranges

Numbers summarize(std::span<const double> samples, const OptionValues& /*options*/) {
  if (samples.empty()) {
    return {};
  }
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  const double first = quantile(sorted, 0.25);
  const double third = quantile(sorted, 0.75);
  const double margin = fence * (third - first);
  const auto low = std::lower_bound(sorted.begin(), sorted.end(), first - margin);
  const auto high = std::upper_bound(low, sorted.end(), third + margin);
  return numbers_of(samples, std::span<const double>(low, high));
}

}  // namespace

Estimator iqr() {
  return {
      "iqr",
      "the mean without measurements more than 1.5 interquartile ranges below the first or above the third quartile",
      "thesis section 5.2.2",
      {},
      summarize,
      judge_filtered};
}

}  // namespace adcl::measure
