#include "core/elementary.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace adcl {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest_exponent = 709.78;
constexpr double smallest_exponent = -745.1;

// ln 2 in two parts: the first one has so few digits that its product with a binary exponent is exact.
constexpr double ln2_high = 6.93147180369123816490e-01;
constexpr double ln2_low = 1.90821492927058770002e-10;

constexpr int logarithm_terms = 12;
constexpr int exponential_terms = 14;
constexpr int series_terms = 90;
constexpr int fraction_terms = 80;
constexpr double series_bound = 2.0;

/// erf(x) for 0 <= x < 2: a series of positive terms.
double error_function(double x) noexcept {
  double term = x;
  double sum = x;
  for (int n = 1; n < series_terms; ++n) {
    term *= 2.0 * x * x / (2.0 * n + 1.0);
    sum += term;
  }
  return 2.0 * std::numbers::inv_sqrtpi * exponential(-x * x) * sum;
}

/// 1 - erf(x) for x >= 2: a continued fraction, from its end.
double complement(double x) noexcept {
  double tail = x;
  for (int n = fraction_terms; n >= 1; --n) {
    tail = x + 0.5 * n / tail;
  }
  return exponential(-x * x) * std::numbers::inv_sqrtpi / tail;
}

}  // namespace

double logarithm(double x) noexcept {
  if (x == 0.0) {
    return -infinity;
  }
  if (!(x > 0.0) || x == infinity) {
    return x > 0.0 ? x : std::numeric_limits<double>::quiet_NaN();
  }
  int exponent = 0;
  double fraction = std::frexp(x, &exponent);
  if (fraction < std::numbers::sqrt2 / 2.0) {
    fraction *= 2.0;
    --exponent;
  }
  const double ratio = (fraction - 1.0) / (fraction + 1.0);
  const double square = ratio * ratio;
  double sum = 0.0;
  for (int n = logarithm_terms; n >= 1; --n) {
    sum = (sum + 1.0 / (2.0 * n + 1.0)) * square;
  }
  return exponent * ln2_high + (exponent * ln2_low + 2.0 * (ratio + ratio * sum));
}

double exponential(double x) noexcept {
  if (!(x >= smallest_exponent)) {
    return x < smallest_exponent ? 0.0 : x;
  }
  if (x > largest_exponent) {
    return infinity;
  }
  const double power_of_two = std::floor(x * std::numbers::log2e + 0.5);
  const double rest = (x - power_of_two * ln2_high) - power_of_two * ln2_low;
  double sum = 1.0;
  for (int n = exponential_terms; n >= 1; --n) {
    sum = 1.0 + sum * rest / n;
  }
  return std::ldexp(sum, static_cast<int>(power_of_two));
}

double power(double base, double exponent) noexcept {
  return exponent == 0.0 ? 1.0 : exponential(exponent * logarithm(base));
}

double normal_tail(double z) noexcept {
  const double x = std::abs(z) / std::numbers::sqrt2;
  const double above = x < series_bound ? 1.0 - error_function(x) : complement(x);
  return z >= 0.0 ? above / 2.0 : 1.0 - above / 2.0;
}

}  // namespace adcl
