/// The plain mean of all measurements, thesis eq. 5.2.
#include "measure/estimator.hpp"
#include "measure/mean.hpp"

namespace adcl::measure {
namespace {

Numbers summarize(std::span<const double> samples, const OptionValues& /*options*/) {
  return numbers_of(samples, samples);
}

}  // namespace

Estimator none() {
  return {"none", "the mean of all measurements", "thesis section 5.2, eq. 5.2", {}, summarize, judge_filtered};
}

}  // namespace adcl::measure
