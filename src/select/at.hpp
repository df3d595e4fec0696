/// \file at.hpp
/// Functions for candidate indices, which are int, and constants for times.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

namespace adcl::select {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

inline std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Returns the indices 0 to \p count - 1. Replaces std::views::iota, which clang 14 rejects with the C++ library of GCC
/// 12.
inline std::vector<int> indices_below(int count) {
  std::vector<int> all(at(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// The member with the lowest value of \p key, the first among equals; -1: no members.
template <typename Key>
int lowest(const std::vector<int>& members, const Key& key) {
  const auto best = std::ranges::min_element(members, {}, key);
  return best != members.end() ? *best : -1;
}

}  // namespace adcl::select
