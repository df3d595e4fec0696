#include "tfqmr.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace solver3d {
namespace {

constexpr double rounding = std::numeric_limits<double>::epsilon();

/// Calls work(line, offset without halo, offset with halo) for all lines along z.
template <typename Work>
void for_lines(const Layout& layout, const Work& work) {
  std::size_t line = 0;
  for (int i = 0; i < layout.block[0]; ++i) {
    for (int j = 0; j < layout.block[1]; ++j, ++line) {
      work(line, line * layout.length, layout.offset(i, j, 0));
    }
  }
}

}  // namespace

Tfqmr::Tfqmr(const Layout& layout, std::span<double* const> arrays, std::span<const double> inverse_diagonal,
             Product& product, Reduction& reduction)
    : layout_(layout),
      solution_(arrays[solution_array]),
      odd_(arrays[odd_array]),
      even_(arrays[even_array]),
      inverse_diagonal_(inverse_diagonal),
      product_(product),
      reduction_(reduction) {
  for (auto* vector : {&residual_, &shadow_, &search_, &odd_image_, &even_image_, &direction_}) {
    vector->resize(layout.points());
  }
}

void Tfqmr::begin(std::span<const double> right_side) {
  product_.multiply(solution_array, odd_image_.data());
  std::array<double, 2> squares{};
  for_lines(layout_, [&](std::size_t line, std::size_t plain, std::size_t padded) {
    double residual_square = 0.0;
    double right_square = 0.0;
    for (std::size_t k = 0; k < layout_.length; ++k) {
      const double right = right_side[plain + k];
      const double residual = right - odd_image_[plain + k];
      residual_[plain + k] = residual;
      shadow_[plain + k] = residual;
      odd_[padded + k] = inverse_diagonal_[line] * residual;
      residual_square += residual * residual;
      right_square += right * right;
    }
    squares[0] += residual_square;
    squares[1] += right_square;
  });
  std::fill(search_.begin(), search_.end(), 0.0);
  std::fill(even_image_.begin(), even_image_.end(), 0.0);
  std::fill(direction_.begin(), direction_.end(), 0.0);
  reduction_.sum(squares);
  rho_ = squares[0];
  shadow_norm_ = std::sqrt(squares[0]);
  right_side_norm_ = std::sqrt(squares[1]);
  tau_ = shadow_norm_;
  theta_ = eta_ = beta_ = 0.0;
  half_steps_ = 0;
}

double Tfqmr::residual_bound() const { return tau_ * std::sqrt(half_steps_ + 1.0); }

Progress Tfqmr::fail(std::string_view reason) {
  breakdown_ = reason;
  return Progress::broken_down;
}

Progress Tfqmr::iterate() {
  if (tau_ == 0.0) {
    return Progress::exact;
  }
  product_.multiply(odd_array, odd_image_.data());
  std::array<double, 2> search_sums{};
  make_search_direction(search_sums);
  reduction_.sum(search_sums);
  const double sigma = search_sums[0];
  if (!std::isfinite(sigma) || !std::isfinite(search_sums[1])) {
    return fail("a number overflowed in the search direction");
  }
  if (std::abs(sigma) <= rounding * shadow_norm_ * std::sqrt(search_sums[1])) {
    return fail("the search direction is orthogonal to the first residual (sigma = 0)");
  }
  const double alpha = rho_ / sigma;

  std::array<double, 3> sums{};  // squared norms of w after each half step, shadow . w
  sums[0] = make_even_direction(alpha);
  product_.multiply(even_array, even_image_.data());
  reduce_residual(alpha, sums);
  reduction_.sum(sums);
  if (!std::isfinite(sums[0]) || !std::isfinite(sums[1]) || !std::isfinite(sums[2])) {
    return fail("a number overflowed in the residual");
  }

  const HalfStep odd = minimize(alpha, sums[0]);
  const HalfStep even = minimize(alpha, sums[1]);
  const double rho = sums[2];
  beta_ = rho / rho_;
  update_solution(odd, even, beta_);
  rho_ = rho;
  if (tau_ == 0.0) {
    return Progress::exact;
  }
  if (std::abs(rho) <= rounding * shadow_norm_ * std::sqrt(sums[1])) {
    return fail("the residual is orthogonal to the first residual (rho = 0)");
  }
  return Progress::advanced;
}

Tfqmr::HalfStep Tfqmr::minimize(double alpha, double residual_square) {
  ++half_steps_;
  if (tau_ == 0.0) {
    return {0.0, 0.0};
  }
  const double scale = theta_ * theta_ * eta_ / alpha;
  theta_ = std::sqrt(residual_square) / tau_;
  const double cosine_square = 1.0 / (1.0 + theta_ * theta_);
  tau_ *= theta_ * std::sqrt(cosine_square);
  eta_ = cosine_square * alpha;
  return {scale, eta_};
}

/// v = A odd + beta (A even + beta v); shadow . v and v . v.
void Tfqmr::make_search_direction(std::span<double> sums) {
  const double* __restrict odd_image = odd_image_.data();
  const double* __restrict even_image = even_image_.data();
  const double* __restrict shadow = shadow_.data();
  double* __restrict search = search_.data();
  const double beta = beta_;
  double sigma = 0.0;
  double square = 0.0;
  const std::size_t points = layout_.points();
#pragma omp simd reduction(+ : sigma, square)
  for (std::size_t i = 0; i < points; ++i) {
    const double value = odd_image[i] + beta * (even_image[i] + beta * search[i]);
    search[i] = value;
    sigma += shadow[i] * value;
    square += value * value;
  }
  sums[0] = sigma;
  sums[1] = square;
}

/// even = odd - alpha v / diagonal, w -= alpha A odd; w . w.
double Tfqmr::make_even_direction(double alpha) {
  double total = 0.0;
  for_lines(layout_, [&](std::size_t line, std::size_t plain, std::size_t padded) {
    const double* __restrict search = search_.data() + plain;
    const double* __restrict odd_image = odd_image_.data() + plain;
    const double* __restrict odd = odd_ + padded;
    double* __restrict even = even_ + padded;
    double* __restrict residual = residual_.data() + plain;
    const double step = alpha * inverse_diagonal_[line];
    double square = 0.0;
    const std::size_t length = layout_.length;
#pragma omp simd reduction(+ : square)
    for (std::size_t k = 0; k < length; ++k) {
      even[k] = odd[k] - step * search[k];
      const double value = residual[k] - alpha * odd_image[k];
      residual[k] = value;
      square += value * value;
    }
    total += square;
  });
  return total;
}

/// w -= alpha A even; w . w and shadow . w.
void Tfqmr::reduce_residual(double alpha, std::span<double> sums) {
  const double* __restrict even_image = even_image_.data();
  const double* __restrict shadow = shadow_.data();
  double* __restrict residual = residual_.data();
  double square = 0.0;
  double rho = 0.0;
  const std::size_t points = layout_.points();
#pragma omp simd reduction(+ : square, rho)
  for (std::size_t i = 0; i < points; ++i) {
    const double value = residual[i] - alpha * even_image[i];
    residual[i] = value;
    square += value * value;
    rho += shadow[i] * value;
  }
  sums[1] = square;
  sums[2] = rho;
}

/// Both half steps of d and x in one loop, and the next odd direction: odd = w / diagonal + beta even.
void Tfqmr::update_solution(HalfStep odd_step, HalfStep even_step, double beta) {
  for_lines(layout_, [&](std::size_t line, std::size_t plain, std::size_t padded) {
    const double* __restrict residual = residual_.data() + plain;
    const double* __restrict even = even_ + padded;
    double* __restrict odd = odd_ + padded;
    double* __restrict direction = direction_.data() + plain;
    double* __restrict solution = solution_ + padded;
    const double inverse = inverse_diagonal_[line];
    const std::size_t length = layout_.length;
#pragma omp simd
    for (std::size_t k = 0; k < length; ++k) {
      const double first = odd[k] + odd_step.scale * direction[k];
      const double second = even[k] + even_step.scale * first;
      solution[k] += odd_step.step * first + even_step.step * second;
      direction[k] = second;
      odd[k] = inverse * residual[k] + beta * even[k];
    }
  });
}

}  // namespace solver3d
