/// \file paired.hpp
/// How far two candidates differ, from times taken side by side: what disturbs the machine for longer than a round
/// disturbs both, and cancels. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace adcl::select {

/// A mean of differences and how sure it is.
struct Difference {
  double mean = 0.0;
  double error = 0.0;  ///< standard error of the mean; infinity where it cannot be told
  int freedom = 0;     ///< degrees of freedom of Student's distribution
  int pairs = 0;       ///< rounds in which both were measured

  /// Where the mean is above with the confidence, one-sided; minus infinity where that cannot be told.
  [[nodiscard]] double lower(double confidence) const;
  /// Where it is below.
  [[nodiscard]] double upper(double confidence) const;
};

/// The smallest number of pairs that says something about its own spread.
inline constexpr int fewest_pairs = 3;

/// first - second, pair by pair; a pair with a value that is not finite is left out. The mean leaves out the fifth of
/// the differences at either end, where there are at least five of them, and the error accounts for that: one
/// disturbed round in five changes nothing.
/// With \p left_out it is so many at either end instead, as long as three are left.
/// Source: Yuen, "The two-sample trimmed t for unequal population variances", Biometrika 61 (1974), in its paired form.
Difference paired_difference(std::span<const double> first, std::span<const double> second,
                             std::optional<std::size_t> left_out = std::nullopt);

/// The mean of the finite values with the same trimming; infinity when there is none.
double trimmed_mean(std::span<const double> values);

/// The quantile of Student's distribution; \p confidence is 0.9 or 0.99, \p freedom at least 1.
double student_quantile(double confidence, int freedom);

}  // namespace adcl::select
