#include "select/model/belief.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/elementary.hpp"

namespace adcl::select {

namespace {

/// Returns the lower triangle L of a positive definite matrix L L^T, row-major.
std::vector<double> cholesky(std::vector<double> matrix, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = matrix[i * n + j];
      for (std::size_t k = 0; k < j; ++k) {
        sum -= matrix[i * n + k] * matrix[j * n + k];
      }
      matrix[i * n + j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / matrix[j * n + j];
    }
  }
  return matrix;
}

/// Solves L x = b in place.
void solve(const std::vector<double>& lower, std::size_t n, std::vector<double>& b) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      b[i] -= lower[i * n + k] * b[k];
    }
    b[i] /= lower[i * n + i];
  }
}

}  // namespace

Belief::Belief(std::vector<double> means, const std::vector<double>& covariance)
    : means_(std::move(means)), posterior_mean_(means_), posterior_variance_(means_.size()) {
  const std::size_t n = means_.size();
  covariance_.reserve(n * (n + 1) / 2);
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = covariance.begin() + static_cast<std::ptrdiff_t>(i * n);
    std::transform(row, row + static_cast<std::ptrdiff_t>(i + 1), std::back_inserter(covariance_),
                   [](double value) { return static_cast<float>(value); });
  }
  for (std::size_t i = 0; i < n; ++i) {
    posterior_variance_[i] = this->covariance(i, i);
  }
}

double Belief::observe(const std::vector<Observation>& observations, double scale) {
  scale_ = scale;
  const std::size_t n = observations.size();
  if (n == 0) {
    posterior_mean_ = means_;
    for (std::size_t i = 0; i < means_.size(); ++i) {
      posterior_variance_[i] = covariance(i, i);
    }
    return 1.0;
  }
  const auto index = [&](std::size_t k) { return static_cast<std::size_t>(observations[k].candidate); };
  const double constant = observations.front().value - means_[index(0)];
  std::vector<double> matrix(n * n);
  std::vector<double> residual(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      matrix[i * n + j] = covariance(index(i), index(j));
    }
    matrix[i * n + i] += observations[i].variance;
    residual[i] = observations[i].value - constant - means_[index(i)];
  }
  const std::vector<double> lower = cholesky(std::move(matrix), n);
  solve(lower, n, residual);
  std::vector<double> column(n);
  for (std::size_t i = 0; i < means_.size(); ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      column[k] = covariance(i, index(k));
    }
    solve(lower, n, column);
    double mean = constant + means_[i];
    double variance = covariance(i, i);
    for (std::size_t k = 0; k < n; ++k) {
      mean += column[k] * residual[k];
      variance -= column[k] * column[k];
    }
    posterior_mean_[i] = mean;
    posterior_variance_[i] = std::max(variance, 1e-9);
  }
  // The first observation determined the constant, so one degree of freedom is lost.
  const double squares = std::inner_product(residual.begin(), residual.end(), residual.begin(), 0.0);
  return n > 1 ? squares / static_cast<double>(n - 1) : 1.0;
}

double expected_excess(double mean, double deviation) {
  if (deviation <= 0.0) {
    return std::max(mean, 0.0);
  }
  const double z = mean / deviation;
  const double density = exponential(-z * z / 2.0) / std::sqrt(2.0 * std::numbers::pi);
  const double probability = normal_tail(-z);
  return mean * probability + deviation * density;
}

}  // namespace adcl::select
