/// \file cells.hpp
/// Finds the points near a point by sorting them into cubes. Pure.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "fish.hpp"

namespace fish_school {

class Cells {
 public:
  /// \p side: edge of a cube, at least the largest search distance.
  Cells(const std::vector<Vector>& points, double side);

  /// Calls \p visit(i) for every point i that may be within one edge length; also for some points farther away.
  template <typename Visit>
  void near(const Vector& point, Visit visit) const {
    const std::int64_t x = coordinate(point[0]);
    const std::int64_t y = coordinate(point[1]);
    const std::int64_t z = coordinate(point[2]);
    for (std::int64_t i = x - 1; i <= x + 1; ++i) {
      for (std::int64_t j = y - 1; j <= y + 1; ++j) {
        const std::uint64_t last = key(i, j, z + 1);
        const auto less = [](const Entry& entry, std::uint64_t wanted) { return entry.key < wanted; };
        for (auto at = std::lower_bound(entries_.begin(), entries_.end(), key(i, j, z - 1), less);
             at != entries_.end() && at->key <= last; ++at) {
          visit(at->point);
        }
      }
    }
  }

 private:
  struct Entry {
    std::uint64_t key;
    std::size_t point;
  };

  [[nodiscard]] std::int64_t coordinate(double value) const noexcept {
    // Schools are smaller than this; points beyond share the outermost cubes.
    constexpr double most = 1000000.0;
    return static_cast<std::int64_t>(std::floor(std::clamp(value / side_, -most, most)));
  }
  static std::uint64_t key(std::int64_t x, std::int64_t y, std::int64_t z) noexcept {
    constexpr std::int64_t offset = 1 << 20;
    const auto part = [](std::int64_t value) { return static_cast<std::uint64_t>(value + offset); };
    return part(x) << 42U | part(y) << 21U | part(z);
  }

  double side_;
  std::vector<Entry> entries_;
};

}  // namespace fish_school
