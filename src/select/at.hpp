/// \file at.hpp
/// Indices of candidates, which are int: as positions in vectors, and as a range.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace adcl::select {

inline std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// 0 to \p count - 1. A vector, since clang 14 rejects std::views of the C++ library of GCC 12.
inline std::vector<int> indices_below(int count) {
  std::vector<int> all(at(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace adcl::select
