/// \file counting.hpp
/// Counts the points that lie in all bins of a unit, with bitmaps of points or with sets of points.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grid.hpp"
#include "units.hpp"

namespace mafia {

/// Stores one bit per point and dense bin. For n points, counting a unit of k bins costs k n / 64 operations.
class BitmapCounter {
 public:
  using Unit = BitmapUnit;
  BitmapCounter(std::span<const Bin> bins, std::size_t points);
  [[nodiscard]] std::size_t points_in(const Unit& unit) const;

 private:
  std::vector<std::vector<std::uint64_t>> words_;
};

/// Looks up the points of the smallest bin in the other bins. Counting a unit of k bins costs up to k times that bin's
/// points.
class SetCounter {
 public:
  using Unit = SetUnit;
  SetCounter(std::span<const Bin> bins, std::size_t points);
  [[nodiscard]] std::size_t points_in(const Unit& unit) const;

 private:
  std::span<const Bin> bins_;
  std::vector<std::vector<std::uint8_t>> members_;  ///< by bin and point
};

}  // namespace mafia
