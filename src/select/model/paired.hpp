/// \file paired.hpp
/// Difference of two candidates that ran in the same rounds: a disturbance longer than a round affects both, and
/// cancels. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "select/model/model_constants.hpp"

namespace adcl::select {

/// Mean of paired differences, and its uncertainty.
struct Difference {
  double mean = 0.0;
  double error = 0.0;  ///< standard error of the mean; infinity: unknown
  int pairs = 0;       ///< number of differences

  /// The mean minus three standard errors; minus infinity: unknown.
  [[nodiscard]] double lower() const;
  /// The mean plus three standard errors; infinity: unknown.
  [[nodiscard]] double upper() const;
};

/// Smallest number of pairs with a standard error; equal to the largest number of finalists.
inline constexpr int fewest_pairs = most_at_once;

/// Trimmed mean of first - second over the pairs of finite values. Trims a fifth of the differences at each end, or
/// \p left_out differences, but keeps at least fewest_pairs. With six rounds or more, a single disturbed round
/// therefore has no effect. Source: Yuen, "The two-sample trimmed t for unequal population variances", Biometrika 61
/// (1974), in its paired form.
Difference paired_difference(std::span<const double> first, std::span<const double> second,
                             std::optional<std::size_t> left_out = std::nullopt);

/// Mean of the finite values without a fifth at each end; infinity if there are none.
double trimmed_mean(std::span<const double> values);

}  // namespace adcl::select
