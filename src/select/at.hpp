/// \file at.hpp
/// Conversion and ranges of candidate indices, which are int.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace adcl::select {

inline std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Returns 0 to \p count - 1. Not std::views::iota, which clang 14 rejects with the C++ library of GCC 12.
inline std::vector<int> indices_below(int count) {
  std::vector<int> all(at(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace adcl::select
