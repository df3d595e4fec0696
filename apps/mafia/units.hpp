/// \file units.hpp
/// A unit is a set of dense bins of different dimensions; two representations have the same operations. Operations on
/// sets of up to k bins cost O(k). Operations on bitmaps cost one step per word of a bitmap of all dense bins.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace mafia {

class SetUnit {
 public:
  SetUnit() = default;
  static SetUnit of(std::uint16_t bin) {
    SetUnit unit;
    unit.bins_ = {bin};
    return unit;
  }
  auto operator<=>(const SetUnit&) const = default;
  [[nodiscard]] const std::vector<std::uint16_t>& bins() const { return bins_; }
  [[nodiscard]] SetUnit with(std::uint16_t bin) const {
    SetUnit unit = *this;
    unit.bins_.insert(std::lower_bound(unit.bins_.begin(), unit.bins_.end(), bin), bin);
    return unit;
  }
  [[nodiscard]] SetUnit without(std::uint16_t bin) const {
    SetUnit unit = *this;
    unit.bins_.erase(std::lower_bound(unit.bins_.begin(), unit.bins_.end(), bin));
    return unit;
  }

 private:
  std::vector<std::uint16_t> bins_;  ///< ascending
};

class BitmapUnit {
 public:
  static constexpr std::size_t most_bins = 256;

  static BitmapUnit of(std::uint16_t bin) { return BitmapUnit().with(bin); }
  auto operator<=>(const BitmapUnit&) const = default;
  [[nodiscard]] std::vector<std::uint16_t> bins() const {
    std::vector<std::uint16_t> bins;
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1) {
        bins.push_back(static_cast<std::uint16_t>(64 * w + static_cast<std::size_t>(std::countr_zero(rest))));
      }
    }
    return bins;
  }
  [[nodiscard]] BitmapUnit with(std::uint16_t bin) const {
    if (bin >= most_bins) {
      throw std::length_error(
          "bitmaps hold at most 256 dense bins; use --kernels set, or fewer dimensions or clusters");
    }
    BitmapUnit unit = *this;
    unit.words_[bin / 64] |= std::uint64_t{1} << (bin % 64);
    return unit;
  }
  [[nodiscard]] BitmapUnit without(std::uint16_t bin) const {
    BitmapUnit unit = *this;
    unit.words_[bin / 64] &= ~(std::uint64_t{1} << (bin % 64));
    return unit;
  }

 private:
  std::array<std::uint64_t, most_bins / 64> words_{};
};

}  // namespace mafia
