#include "core/region.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <unordered_set>

namespace adcl {
namespace {

std::int64_t product(const std::vector<int>& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

std::vector<std::int64_t> Grid::strides() const {
  std::vector<std::int64_t> result(dims.size(), 1);
  if (fortran_order) {
    for (std::size_t d = 1; d < dims.size(); ++d) {
      result[d] = result[d - 1] * dims[d - 1];
    }
  } else {
    for (std::size_t d = dims.size(); d-- > 1;) {
      result[d - 1] = result[d] * dims[d];
    }
  }
  return result;
}

std::int64_t Grid::points() const { return product(dims); }

std::int64_t Region::count() const { return indexed ? static_cast<std::int64_t>(points.size()) : product(extent); }

bool overlap(const Region& a, const Region& b) {
  if (a.indexed) {
    const std::unordered_set<int> points(a.points.begin(), a.points.end());
    return std::any_of(b.points.begin(), b.points.end(), [&](int point) { return points.count(point) != 0; });
  }
  for (std::size_t d = 0; d < a.start.size(); ++d) {
    if (std::max(a.start[d], b.start[d]) >= std::min(a.start[d] + a.extent[d], b.start[d] + b.extent[d])) {
      return false;
    }
  }
  return true;
}

Loops loops_of(const Region& region, const Grid& grid, std::int64_t element_bytes) {
  Loops loops;
  if (region.count() == 0) {
    return loops;
  }
  const auto strides = grid.strides();
  std::vector<std::size_t> order(grid.dims.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!grid.fortran_order) {
    std::reverse(order.begin(), order.end());
  }
  loops.run_bytes = element_bytes;
  std::vector<Loops::Level> inner_first;
  for (const std::size_t d : order) {
    loops.offset_bytes += region.start[d] * strides[d] * element_bytes;
    const std::int64_t stride = strides[d] * element_bytes;
    const std::int64_t count = region.extent[d];
    if (count == 1) {
      continue;
    }
    if (inner_first.empty() && stride == loops.run_bytes) {
      loops.run_bytes *= count;
    } else if (!inner_first.empty() && stride == inner_first.back().stride_bytes * inner_first.back().count) {
      inner_first.back().count *= count;
    } else {
      inner_first.push_back({count, stride});
    }
  }
  loops.levels.assign(inner_first.rbegin(), inner_first.rend());
  return loops;
}

}  // namespace adcl
