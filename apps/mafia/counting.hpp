/// \file counting.hpp
/// How many points lie in all bins of a unit: from bitmaps of points, or from sets of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grid.hpp"
#include "units.hpp"

namespace mafia {

/// A bit per point and dense bin. A unit of k bins costs k n / 64 operations.
class BitmapCounter {
 public:
  using Unit = BitmapUnit;
  BitmapCounter(std::span<const Bin> bins, std::size_t points);
  [[nodiscard]] std::size_t points_in(const Unit& unit) const;

 private:
  std::vector<std::vector<std::uint64_t>> words_;
};

/// The points of the smallest bin are looked up in the others. A unit of k bins costs up to k times that bin's points.
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
