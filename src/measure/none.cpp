/// The plain mean, thesis eq. 5.2: every measurement counts.
#include "measure/estimator.hpp"
#include "measure/mean.hpp"

namespace adcl::measure {
namespace {

Numbers summarise(std::span<const double> samples, const OptionValues& /*options*/) {
  return filtered(samples, samples);
}

}  // namespace

Estimator none() {
  return {"none", "the mean of all measurements", "thesis section 5.2, eq. 5.2", {}, summarise, judge_filtered};
}

}  // namespace adcl::measure
