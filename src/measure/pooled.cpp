// Combines the summaries of two groups of samples.
// Source: Chan, Golub and LeVeque, "Algorithms for computing the sample variance" (The American Statistician 37, 1983),
// equation 2.1.
#include <cmath>

#include "measure/estimator.hpp"

namespace adcl::measure {
namespace {

double squared_deviations(const Numbers& numbers) {
  return numbers.measurements < 2.0 ? 0.0 : numbers.spread_s * numbers.spread_s * (numbers.measurements - 1.0);
}

}  // namespace

Numbers pool(const Numbers& one, const Numbers& other) {
  if (one.measurements <= 0.0 || other.measurements <= 0.0) {
    return one.measurements > 0.0 ? one : other;
  }
  const double all = one.measurements + other.measurements;
  const auto weighted = [&](double first, double second) {
    return (first * one.measurements + second * other.measurements) / all;
  };
  const double distance = other.filtered_mean_s - one.filtered_mean_s;
  const double between = distance * distance * one.measurements * other.measurements / all;
  return {weighted(one.mean_s, other.mean_s), weighted(one.filtered_mean_s, other.filtered_mean_s),
          one.outliers + other.outliers, all,
          std::sqrt((squared_deviations(one) + squared_deviations(other) + between) / (all - 1.0))};
}

}  // namespace adcl::measure
