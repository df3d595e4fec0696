/// Robust statistics, thesis section 5.2.4: fits a t distribution to the measurements by maximum likelihood, and uses
/// its location as the mean. Outliers therefore have less weight. The iteration starts at the median and at 1.483 times
/// the median absolute deviation (MAD).
///
/// The thesis uses the Nelder-Mead simplex. This implementation uses expectation maximization, which needs no step size
/// and never decreases the likelihood: Lange, Little and Taylor, "Robust statistical modeling using the t
/// distribution", JASA 84 (1989), section 3, in the faster form of Kent, Tyler and Vardi, "A curious likelihood
/// identity for the multivariate t-distribution", Communications in Statistics - Simulation and Computation 23 (1994).
#include <algorithm>
#include <cmath>
#include <vector>

#include "measure/estimator.hpp"
#include "measure/mean.hpp"

namespace adcl::measure {
namespace {

/// Degrees of freedom. Values from four to six are usual for data with outliers and give similar results (Lange, Little
/// and Taylor, section 5). A search has too few measurements to estimate them.
constexpr double freedom = 5.0;
constexpr double mad_to_scale = 1.483;
constexpr int most_steps = 2000;
constexpr double accuracy = 1e-8;  ///< relative accuracy of location and scale, in units of the scale
constexpr double rounding = 1e-14;

/// The t distribution.
struct Model {
  double location = 0.0;
  double squared_scale = 0.0;  ///< psi

  [[nodiscard]] double weight(double sample) const {
    const double distance = (sample - location) * (sample - location) / squared_scale;
    return (freedom + 1.0) / (freedom + distance);
  }
};

/// One step of expectation maximization.
Model em_step(std::span<const double> samples, const Model& model) {
  double weights = 0.0;
  double weighted = 0.0;
  for (const double sample : samples) {
    weights += model.weight(sample);
    weighted += model.weight(sample) * sample;
  }
  const double location = weighted / weights;
  double squares = 0.0;
  for (const double sample : samples) {
    squares += model.weight(sample) * (sample - location) * (sample - location);
  }
  return {location, squares / weights};
}

/// Iterates from \p model to a maximum of the likelihood.
Model fit(std::span<const double> samples, Model model) {
  for (int step = 0; step < most_steps; ++step) {
    const Model next = em_step(samples, model);
    if (!(next.squared_scale > 0.0)) {
      break;  // more than a fraction nu / (nu + 1) of the measurements are equal
    }
    const double moved = std::abs(next.location - model.location) / std::sqrt(next.squared_scale) +
                         std::abs(next.squared_scale / model.squared_scale - 1.0);
    model = next;
    if (moved < accuracy) {
      break;
    }
  }
  return model;
}

Numbers summarize(std::span<const double> samples, const OptionValues& /*options*/) {
  Numbers numbers = numbers_of(samples, samples);
  if (samples.size() < 2 || numbers.spread_s <= rounding * numbers.mean_s) {
    return numbers;
  }
  const auto median_of = [](std::vector<double> values) {
    std::ranges::sort(values);
    return quantile(values, 0.5);
  };
  std::vector<double> values(samples.begin(), samples.end());
  const double median = median_of(values);
  std::ranges::transform(values, values.begin(), [median](double value) { return std::abs(value - median); });
  const double mad = median_of(values);
  const double scale = mad > 0.0 ? mad_to_scale * mad : numbers.spread_s;
  const Model model = fit(samples, {median, scale * scale});
  numbers.filtered_mean_s = model.location;
  numbers.spread_s = std::sqrt(model.squared_scale);
  numbers.outliers = static_cast<double>(
      std::ranges::count_if(samples, [&model](double sample) { return model.weight(sample) < 0.5; }));
  return numbers;
}

}  // namespace

Estimator robust() {
  return {"robust",
          "the location of a t distribution fitted by maximum likelihood: distant measurements have less weight",
          "thesis section 5.2.4",
          {},
          summarize,
          judge_filtered};
}

}  // namespace adcl::measure
