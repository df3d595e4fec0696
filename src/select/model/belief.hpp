/// \file belief.hpp
/// What is believed of times that were not measured: a Gaussian process over candidates. Pure.
///
/// The logarithms of the candidates' times, before anything is measured, have the given means and covariances, but for
/// a constant that all of them share and that the first observation tells. Observations have errors of known variance.
/// Source: Rasmussen and Williams, Gaussian Processes for Machine Learning (2006), section 2.2.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace adcl::select {

/// The logarithm of a time that was measured.
struct Observation {
  int candidate = 0;
  double value = 0.0;
  double variance = 0.0;  ///< of its error
};

class Belief {
 public:
  /// \p covariance has a row after the other, count by count, and is symmetric and positive definite.
  Belief(std::vector<double> means, const std::vector<double>& covariance);

  /// Forgets what was observed before. Each candidate at most once. The covariances count \p scale times as much.
  /// Returns the surprise: how many times the variance that was believed the observations have; 1 is what is expected,
  /// and what a single one has.
  double observe(const std::vector<Observation>& observations, double scale = 1.0);
  /// Relative to the constant where nothing was observed.
  [[nodiscard]] double mean(int candidate) const { return posterior_mean_[static_cast<std::size_t>(candidate)]; }
  [[nodiscard]] double variance(int candidate) const {
    return posterior_variance_[static_cast<std::size_t>(candidate)];
  }

 private:
  [[nodiscard]] double covariance(std::size_t row, std::size_t column) const {
    const auto [less, more] = std::minmax(row, column);
    return scale_ * static_cast<double>(covariance_[more * (more + 1) / 2 + less]);
  }

  std::vector<double> means_;
  std::vector<float> covariance_;  ///< the lower triangle, a row after the other; of little memory
  double scale_ = 1.0;
  std::vector<double> posterior_mean_;
  std::vector<double> posterior_variance_;
};

/// The expectation of max(0, x) for x normally distributed with mean \p mean and standard deviation \p deviation >= 0.
double expected_excess(double mean, double deviation);

}  // namespace adcl::select
