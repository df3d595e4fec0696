/// The plain mean, thesis eq. 5.2: every measurement counts.
#include <limits>

#include "measure/estimator.hpp"
#include "measure/mean.hpp"

namespace adcl::measure {
namespace {

Numbers summarise(std::span<const double> samples, const OptionValues& /*options*/) {
  return filtered(samples, samples);
}

double judge(const Numbers& reduced, const OptionValues& /*options*/) {
  return reduced.measurements > 0.0 ? reduced.mean_s : std::numeric_limits<double>::infinity();
}

}  // namespace

Estimator none() {
  return {"none", "the mean of all measurements", "thesis section 5.2, eq. 5.2", {}, summarise, judge};
}

}  // namespace adcl::measure
