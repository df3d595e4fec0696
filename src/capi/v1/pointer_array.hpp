/// \file pointer_array.hpp
/// Multidimensional arrays in the style of C: pointers to pointers over contiguous memory.
#pragma once

#include <cstdint>
#include <vector>

namespace adcl::capi::v1 {

/// Returns arrays of pointers, one for each dimension but the last, one after the other, over \p memory:
/// array[i][j]...[k] is an entry. The program uses the first pointer array as its array. \p extents has at least two
/// elements, each at least 1; entries are \p entry_bytes apart.
std::vector<void*> pointer_array(void* memory, const std::vector<int>& extents, std::int64_t entry_bytes);

/// Returns the memory below \p data if \p data is such an array with contiguous rows; otherwise null: \p data is the
/// memory itself. An array with one row is never interpreted as pointers. Does not access unreadable memory.
void* memory_below(const void* data, const std::vector<int>& extents, std::int64_t entry_bytes);

}  // namespace adcl::capi::v1
