/// \file belief.hpp
/// Estimates times that were not measured: a Gaussian process over candidates. Pure.
///
/// Before any measurement, the logarithms of the candidates' times have the given means and covariances, up to a common
/// constant that the first observation determines. Observations have errors of known variance.
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
  /// \p covariance is a row-major square matrix, symmetric and positive definite.
  Belief(std::vector<double> means, const std::vector<double>& covariance);

  /// Replaces all observations; at most one per candidate. The covariances are multiplied by \p scale. Returns the
  /// surprise: the variance of the observations, divided by the variance that the model predicts. 1 is expected; a
  /// single observation returns 1.
  double observe(const std::vector<Observation>& observations, double scale = 1.0);
  /// Relative to the unknown constant if nothing was observed.
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
  std::vector<float> covariance_;  ///< the lower triangle, row-major; float saves memory
  double scale_ = 1.0;
  std::vector<double> posterior_mean_;
  std::vector<double> posterior_variance_;
};

/// The expectation of max(0, x) for x normally distributed with mean \p mean and standard deviation \p deviation >= 0.
double expected_excess(double mean, double deviation);

}  // namespace adcl::select
