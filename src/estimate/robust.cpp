/// Robust statistics, thesis section 5.2.4: measurements are taken for samples of a t distribution, whose location,
/// estimated by maximum likelihood, is the mean: the farther a measurement lies out, the less it weighs. The search for
/// the maximum starts at the median and at 1.483 times the median of the absolute deviations (MAD).
///
/// The thesis climbs with the simplex of Nelder and Mead. Here it is expectation maximisation, which needs no step size
/// and never steps down: Lange, Little and Taylor, "Robust statistical modeling using the t distribution", JASA 84
/// (1989), section 3, in the faster form of Kent, Tyler and Vardi, "A curious likelihood identity for the multivariate
/// t-distribution", Communications in Statistics - Simulation and Computation 23 (1994). Unknown degrees of freedom are
/// those with the highest maximum, first of a grid and then around its best one.
#include <algorithm>
#include <cmath>
#include <vector>

#include "estimate/estimator.hpp"
#include "estimate/mean.hpp"

namespace adcl::estimate {
namespace {

constexpr const char* freedom_name = "ADCL_ROBUST_FREEDOM";
constexpr double mad_to_scale = 1.483;
constexpr double least_freedom = 1.0;   ///< below, a few equal measurements would be all that counts
constexpr double most_freedom = 200.0;  ///< the normal distribution, for all that measurements can tell
constexpr int most_steps = 2000;
constexpr double accuracy = 1e-8;  ///< of the location and the scale, as a part of the scale
constexpr int grid_steps = 10;
constexpr int halvings = 6;  ///< of a step of the grid
constexpr double rounding = 1e-14;

/// The t distribution.
struct Model {
  double location = 0.0;
  double squared_scale = 0.0;  ///< psi
  double freedom = 0.0;        ///< nu

  [[nodiscard]] double weight(double sample) const {
    const double distance = (sample - location) * (sample - location) / squared_scale;
    return (freedom + 1.0) / (freedom + distance);
  }
};

/// Eq. 5.6, with g(nu) of eq. 5.7 and without the constant.
double log_likelihood(std::span<const double> samples, const Model& model) {
  double sum = 0.0;
  for (const double sample : samples) {
    const double distance = (sample - model.location) * (sample - model.location) / model.squared_scale;
    sum += std::log1p(distance / model.freedom);
  }
  const auto n = static_cast<double>(samples.size());
  const double g =
      std::lgamma((model.freedom + 1.0) / 2.0) - std::log(model.freedom) / 2.0 - std::lgamma(model.freedom / 2.0);
  return n * (g - std::log(model.squared_scale) / 2.0) - (model.freedom + 1.0) / 2.0 * sum;
}

/// One step of expectation maximisation for location and scale.
Model climbed(std::span<const double> samples, const Model& model) {
  double weights = 0.0;
  double weighted = 0.0;
  for (const double sample : samples) {
    const double weight = model.weight(sample);
    weights += weight;
    weighted += weight * sample;
  }
  Model next = model;
  next.location = weighted / weights;
  double squares = 0.0;
  for (const double sample : samples) {
    squares += model.weight(sample) * (sample - next.location) * (sample - next.location);
  }
  next.squared_scale = squares / weights;
  return next;
}

/// The maximum that is reached from \p model.
Model fit(std::span<const double> samples, Model model) {
  for (int step = 0; step < most_steps; ++step) {
    const Model next = climbed(samples, model);
    if (!(next.squared_scale > 0.0)) {
      break;  // more than nu of nu + 1 measurements are equal
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

/// Degrees of freedom included: from \p start, whatever it says of them.
Model fit_all(std::span<const double> samples, const Model& start) {
  const auto fit_with = [&](double logarithm) {
    Model model = start;
    model.freedom = std::exp(logarithm);
    return fit(samples, model);
  };
  const double low = std::log(least_freedom);
  const double step = (std::log(most_freedom) - low) / grid_steps;
  Model best = fit_with(low);
  double best_likelihood = log_likelihood(samples, best);
  const auto consider = [&](double logarithm) {
    const Model model = fit_with(logarithm);
    const double likelihood = log_likelihood(samples, model);
    if (likelihood > best_likelihood) {
      best = model;
      best_likelihood = likelihood;
    }
  };
  for (int i = 1; i <= grid_steps; ++i) {
    consider(low + i * step);
  }
  double width = step;
  for (int i = 0; i < halvings; ++i) {
    width /= 2.0;
    const double centre = std::log(best.freedom);
    consider(std::max(low, centre - width));
    consider(std::min(low + grid_steps * step, centre + width));
  }
  return best;
}

Numbers summarise(std::span<const double> samples, const OptionValues& options) {
  Numbers numbers = filtered(samples, samples);
  if (samples.size() < 2 || numbers.spread_s <= rounding * numbers.mean_s) {
    return numbers;
  }
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const double median = quantile(sorted, 0.5);
  for (double& value : sorted) {
    value = std::abs(value - median);
  }
  std::sort(sorted.begin(), sorted.end());
  const double mad = quantile(sorted, 0.5);
  const double scale = mad > 0.0 ? mad_to_scale * mad : numbers.spread_s;
  const double freedom = options.real(freedom_name);
  const Model start{median, scale * scale, freedom};
  const Model model = freedom > 0.0 ? fit(samples, start) : fit_all(samples, start);
  numbers.filtered_mean_s = model.location;
  numbers.spread_s = std::sqrt(model.squared_scale);
  numbers.outliers = static_cast<double>(
      std::count_if(samples.begin(), samples.end(), [&model](double sample) { return model.weight(sample) < 0.5; }));
  return numbers;
}

}  // namespace

Estimator robust() {
  return {"robust",
          "the location of a t distribution fitted by maximum likelihood: measurements weigh less the farther out they "
          "lie",
          "thesis section 5.2.4",
          {Option::real(freedom_name, 0.0, most_freedom, "5",
                        "robust: degrees of freedom of the t distribution; 4 to 6 are usual, 0 estimates them")},
          summarise,
          judge_filtered};
}

}  // namespace adcl::estimate
