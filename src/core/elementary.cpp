#include "core/elementary.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>

namespace adcl {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest_exponent = 709.78;
constexpr double smallest_exponent = -745.1;

// ln 2 in two parts. The first part has so few digits that its product with a binary exponent is exact.
constexpr double ln2_high = 6.93147180369123816490e-01;
constexpr double ln2_low = 1.90821492927058770002e-10;

constexpr std::size_t logarithm_terms = 12;
constexpr std::size_t exponential_terms = 16;
constexpr double small_argument = 0.46875;
constexpr double large_argument = 4.0;

/// 1 / 3, 1 / 5, ...
constexpr std::array<double, logarithm_terms> inverse_odd_numbers = [] {
  std::array<double, logarithm_terms> values{};
  for (std::size_t n = 0; n < values.size(); ++n) {
    values[n] = 1.0 / (2.0 * static_cast<double>(n) + 3.0);
  }
  return values;
}();

/// 1 / n!
constexpr std::array<double, exponential_terms> inverse_factorials = [] {
  std::array<double, exponential_terms> values{};
  double factorial = 1.0;
  for (std::size_t n = 0; n < values.size(); ++n) {
    factorial *= n == 0 ? 1.0 : static_cast<double>(n);
    values[n] = 1.0 / factorial;
  }
  return values;
}();

/// value * 2^exponent
double scaled(double value, int exponent) noexcept {
  constexpr int smallest_normal = -1022;
  constexpr int largest_normal = 1023;
  constexpr int bias = 1023;
  constexpr int fraction_bits = 52;
  if (exponent < smallest_normal || exponent > largest_normal) {
    return std::ldexp(value, exponent);
  }
  return value * std::bit_cast<double>(static_cast<std::uint64_t>(exponent + bias) << fraction_bits);
}

/// Evaluates the polynomial with these coefficients, highest power first, at \p x.
template <std::size_t Terms>
double polynomial(const std::array<double, Terms>& coefficients, double x) noexcept {
  double value = 0.0;
  for (const double coefficient : coefficients) {
    value = value * x + coefficient;
  }
  return value;
}

/// erf(x) for |x| <= 0.46875. The coefficients of this and of the next two functions are Cody's.
double error_function(double x) noexcept {
  constexpr std::array<double, 5> above{1.85777706184603153e-1, 3.16112374387056560e+0, 1.13864154151050156e+2,
                                        3.77485237685302021e+2, 3.20937758913846947e+3};
  constexpr std::array<double, 5> below{1.00000000000000000e+0, 2.36012909523441209e+1, 2.44024637934444173e+2,
                                        1.28261652607737228e+3, 2.84423683343917062e+3};
  return x * polynomial(above, x * x) / polynomial(below, x * x);
}

/// 1 - erf(x) for 0.46875 <= x <= 4.
double complement_in_the_middle(double x) noexcept {
  constexpr std::array<double, 9> above{2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e+0,
                                        6.61191906371416295e+1, 2.98635138197400131e+2, 8.81952221241769090e+2,
                                        1.71204761263407058e+3, 2.05107837782607147e+3, 1.23033935479799725e+3};
  constexpr std::array<double, 9> below{1.00000000000000000e+0, 1.57449261107098347e+1, 1.17693950891312499e+2,
                                        5.37181101862009858e+2, 1.62138957456669019e+3, 3.29079923573345963e+3,
                                        4.36261909014324716e+3, 3.43936767414372164e+3, 1.23033935480374942e+3};
  return exponential(-x * x) * polynomial(above, x) / polynomial(below, x);
}

/// 1 - erf(x) for x >= 4.
double complement_far_out(double x) noexcept {
  constexpr std::array<double, 6> above{1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1,
                                        1.25781726111229246e-1, 1.60837851487422766e-2, 6.58749161529837803e-4};
  constexpr std::array<double, 6> below{1.00000000000000000e+0, 2.56852019228982242e+0, 1.87295284992346047e+0,
                                        5.27905102951428412e-1, 6.05183413124413191e-2, 2.33520497626869185e-3};
  const double y = 1.0 / (x * x);
  const double correction = y * polynomial(above, y) / polynomial(below, y);
  return exponential(-x * x) * (std::numbers::inv_sqrtpi - correction) / x;
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
  for (std::size_t n = logarithm_terms; n-- > 0;) {
    sum = (sum + inverse_odd_numbers[n]) * square;
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
  const double nearest = x * std::numbers::log2e + 0.5;
  const int truncated = static_cast<int>(nearest);
  const int exponent = truncated - (static_cast<double>(truncated) > nearest ? 1 : 0);
  const double rest = (x - exponent * ln2_high) - exponent * ln2_low;
  // Evaluate even and odd powers separately: neither sum waits for the other.
  const double square = rest * rest;
  double even = 0.0;
  double odd = 0.0;
  for (std::size_t n = exponential_terms / 2 - 1; n > 0; --n) {
    even = even * square + inverse_factorials[2 * n];
    odd = odd * square + inverse_factorials[2 * n + 1];
  }
  return scaled(1.0 + (rest + square * (even + rest * odd)), exponent);
}

double power(double base, double exponent) noexcept {
  return exponent == 0.0 ? 1.0 : exponential(exponent * logarithm(base));
}

double normal_tail(double z) noexcept {
  const double x = std::abs(z) / std::numbers::sqrt2;
  if (x <= small_argument) {
    return 0.5 - error_function(z / std::numbers::sqrt2) / 2.0;
  }
  const double above = x <= large_argument ? complement_in_the_middle(x) : complement_far_out(x);
  return z >= 0.0 ? above / 2.0 : 1.0 - above / 2.0;
}

}  // namespace adcl
