/// \file paired.hpp
/// The difference of two candidates, from times taken side by side: a disturbance longer than a round affects both, and
/// cancels. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace adcl::select {

/// A mean of differences, and its uncertainty.
struct Difference {
  double mean = 0.0;
  double error = 0.0;  ///< standard error of the mean; infinity: unknown
  int freedom = 0;     ///< degrees of freedom of Student's distribution
  int pairs = 0;       ///< rounds in which both were measured

  /// One-sided lower confidence bound of the mean; minus infinity: unknown.
  [[nodiscard]] double lower(double confidence) const;
  /// One-sided upper confidence bound of the mean; infinity: unknown.
  [[nodiscard]] double upper(double confidence) const;
};

/// The smallest number of pairs that has a standard error.
inline constexpr int fewest_pairs = 3;

/// first - second, pair by pair; a pair with a value that is not finite is left out. The mean leaves out the fifth of
/// the differences at either end, if there are at least five of them, and the error accounts for that: one disturbed
/// round in five changes nothing. \p left_out: number of differences to leave out at either end instead, as long as
/// three remain.
/// Source: Yuen, "The two-sample trimmed t for unequal population variances", Biometrika 61 (1974), in its paired form.
Difference paired_difference(std::span<const double> first, std::span<const double> second,
                             std::optional<std::size_t> left_out = std::nullopt);

/// The mean of the finite values with the same trimming; infinity if there is none.
double trimmed_mean(std::span<const double> values);

/// The quantile of Student's distribution; \p confidence is 0.9 or 0.99, \p freedom at least 1.
double student_quantile(double confidence, int freedom);

}  // namespace adcl::select
