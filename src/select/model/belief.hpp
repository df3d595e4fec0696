/// \file belief.hpp
/// A Gaussian process over candidates, which estimates times of unmeasured candidates. Pure.
///
/// The prior of the logarithms of the candidates' times has given means and covariances, up to a common constant that
/// the first observation determines. Observations have errors of known variance. Source: Rasmussen and Williams,
/// Gaussian Processes for Machine Learning (2006), section 2.2.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace adcl::select {

/// Logarithm of a measured time.
struct Observation {
  int candidate = 0;
  double value = 0.0;
  double variance = 0.0;  ///< variance of the error of `value`
};

class Belief {
 public:
  /// \p covariance is a row-major square matrix, symmetric and positive definite.
  Belief(std::vector<double> means, const std::vector<double>& covariance);

  /// Replaces all observations, at most one per candidate, and multiplies the prior covariances by \p scale. Returns
  /// the variance of the observations divided by the predicted variance; 1 for fewer than two observations.
  double observe(const std::vector<Observation>& observations, double scale = 1.0);
  /// Posterior mean of the logarithm; excludes the constant if there is no observation.
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

/// Expectation of max(0, x) for a normal variable x with mean \p mean and standard deviation \p deviation >= 0.
double expected_excess(double mean, double deviation);

}  // namespace adcl::select
