#include "counting.hpp"

#include <algorithm>
#include <bit>

namespace mafia {

BitmapCounter::BitmapCounter(std::span<const Bin> bins, std::size_t points) {
  for (const Bin& bin : bins) {
    std::vector<std::uint64_t>& words = words_.emplace_back((points + 63) / 64, 0);
    for (const std::uint32_t point : bin.points) {
      words[point / 64] |= std::uint64_t{1} << (point % 64);
    }
  }
}

std::size_t BitmapCounter::points_in(const Unit& unit) const {
  constexpr std::size_t at_once = 256;
  const auto bins = unit.bins();
  const std::size_t size = words_[bins.front()].size();
  std::size_t count = 0;
  // Works on pieces that fit into the cache.
  std::array<std::uint64_t, at_once> piece{};
  for (std::size_t begin = 0; begin < size; begin += at_once) {
    const std::size_t length = std::min(at_once, size - begin);
    std::copy_n(words_[bins.front()].begin() + static_cast<std::ptrdiff_t>(begin), length, piece.begin());
    for (std::size_t b = 1; b < bins.size(); ++b) {
      const std::uint64_t* const other = words_[bins[b]].data() + begin;
      for (std::size_t w = 0; w < length; ++w) {
        piece[w] &= other[w];
      }
    }
    for (std::size_t w = 0; w < length; ++w) {
      count += static_cast<std::size_t>(std::popcount(piece[w]));
    }
  }
  return count;
}

SetCounter::SetCounter(std::span<const Bin> bins, std::size_t points) : bins_(bins) {
  for (const Bin& bin : bins) {
    std::vector<std::uint8_t>& member = members_.emplace_back(points, std::uint8_t{0});
    for (const std::uint32_t point : bin.points) {
      member[point] = 1;
    }
  }
}

std::size_t SetCounter::points_in(const Unit& unit) const {
  const auto& bins = unit.bins();
  const auto smallest = *std::min_element(bins.begin(), bins.end(), [&](std::uint16_t a, std::uint16_t b) {
    return bins_[a].points.size() < bins_[b].points.size();
  });
  const auto& candidates = bins_[smallest].points;
  return static_cast<std::size_t>(std::count_if(candidates.begin(), candidates.end(), [&](std::uint32_t point) {
    return std::all_of(bins.begin(), bins.end(), [&](std::uint16_t bin) { return members_[bin][point] != 0; });
  }));
}

}  // namespace mafia
