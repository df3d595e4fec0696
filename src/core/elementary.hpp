/// \file elementary.hpp
/// Elementary functions whose results are bitwise identical on every processor. Pure.
///
/// The C library's functions may differ in the last digit between two kinds of processors of one run, because these use
/// different instructions. If each rank computes a decision from the same numbers, such a difference can lead to
/// different decisions. The functions here use only addition, multiplication, division and comparison of doubles, which
/// IEEE 754 defines to the last bit, and are compiled without fused operations. Their relative errors are below 1e-13.
///
/// Source: Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 4.1.27 and 4.2.1; Cody, "Rational
/// Chebyshev approximations for the error function", Mathematics of Computation 23 (1969).
#pragma once

namespace adcl {

/// The natural logarithm. -infinity for 0, NaN for a negative number or NaN.
double logarithm(double x) noexcept;

/// e to the power of x.
double exponential(double x) noexcept;

/// base to the power of \p exponent, for a base that is not negative.
double power(double base, double exponent) noexcept;

/// The probability that a standard normal variable is larger than \p z.
double normal_tail(double z) noexcept;

}  // namespace adcl
