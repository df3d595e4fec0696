/// \file paired.hpp
/// The difference of two candidates, from times taken side by side: a disturbance longer than a round affects both, and
/// cancels. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "select/model/model_constants.hpp"

namespace adcl::select {

/// A mean of differences, and its uncertainty.
struct Difference {
  double mean = 0.0;
  double error = 0.0;  ///< standard error of the mean; infinity: unknown
  int pairs = 0;       ///< rounds in which both were measured

  /// Three standard errors below the mean; minus infinity: unknown.
  [[nodiscard]] double lower() const;
  /// Three standard errors above the mean; infinity: unknown.
  [[nodiscard]] double upper() const;
};

/// The smallest number of pairs that has a standard error, as many as finalists.
inline constexpr int fewest_pairs = most_at_once;

/// first - second, pair by pair; a pair with a value that is not finite is left out. The mean leaves out a fifth of the
/// differences at either end, and the error accounts for that: one disturbed round in six changes nothing. \p left_out:
/// number of differences to leave out at either end instead. In both cases at least fewest_pairs remain.
/// Source: Yuen, "The two-sample trimmed t for unequal population variances", Biometrika 61 (1974), in its paired form.
Difference paired_difference(std::span<const double> first, std::span<const double> second,
                             std::optional<std::size_t> left_out = std::nullopt);

/// The mean of the finite values with the same trimming; infinity if there is none.
double trimmed_mean(std::span<const double> values);

}  // namespace adcl::select
