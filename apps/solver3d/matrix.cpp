#include "matrix.hpp"

#include <algorithm>

namespace solver3d {
namespace {

/// Computes one line along z; \p values points at its first point.
void apply_line(const Stencil& row, const double* __restrict values, std::size_t x_stride, std::size_t y_stride,
                std::size_t length, double* __restrict product) {
  const double* __restrict west = values - x_stride;
  const double* __restrict east = values + x_stride;
  const double* __restrict south = values - y_stride;
  const double* __restrict north = values + y_stride;
  const double* __restrict down = values - 1;
  const double* __restrict up = values + 1;
  const Stencil c = row;
  for (std::size_t k = 0; k < length; ++k) {
    product[k] = c.center * values[k] + c.west * west[k] + c.east * east[k] + c.south * south[k] + c.north * north[k] +
                 c.down * down[k] + c.up * up[k];
  }
}

bool empty(const Box& box) {
  return box.first[0] >= box.last[0] || box.first[1] >= box.last[1] || box.first[2] >= box.last[2];
}

}  // namespace

Matrix::Matrix(const Grid& grid, std::span<const Stencil> stencils)
    : layout_(grid.layout()),
      stencils_(stencils.begin(), stencils.end()),
      whole_{Extents{}, grid.layout().block},
      inside_(whole_) {
  inverse_diagonal_.reserve(stencils_.size());
  for (const Stencil& row : stencils_) {
    inverse_diagonal_.push_back(1.0 / row.center);
  }
  // Removes a layer at every side with a neighboring process.
  for (std::size_t d = 0; d < 3; ++d) {
    for (const Side side : {low, high}) {
      if (grid.neighbor(static_cast<int>(d), side) == MPI_PROC_NULL || empty(inside_)) {
        continue;
      }
      Box layer = inside_;
      if (side == low) {
        inside_.first[d] += 1;
        layer.last[d] = inside_.first[d];
      } else {
        inside_.last[d] -= 1;
        layer.first[d] = inside_.last[d];
      }
      outside_.push_back(layer);
    }
  }
}

void Matrix::apply_outside(const double* values, double* product) const {
  for (const Box& box : outside_) {
    apply(box, values, product);
  }
}

void Matrix::apply(const Box& box, const double* values, double* product) const {
  if (empty(box)) {
    return;
  }
  const auto length = static_cast<std::size_t>(box.last[2] - box.first[2]);
  for (int i = box.first[0]; i < box.last[0]; ++i) {
    for (int j = box.first[1]; j < box.last[1]; ++j) {
      const std::size_t line =
          static_cast<std::size_t>(i) * static_cast<std::size_t>(layout_.block[1]) + static_cast<std::size_t>(j);
      const std::size_t target = line * layout_.length + static_cast<std::size_t>(box.first[2]);
      apply_line(stencils_[line], values + layout_.offset(i, j, box.first[2]), layout_.x_stride, layout_.y_stride,
                 length, product + target);
    }
  }
}

}  // namespace solver3d
