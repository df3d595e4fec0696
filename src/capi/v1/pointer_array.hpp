/// \file pointer_array.hpp
/// Arrays of several dimensions as C programs make them: pointers to pointers over contiguous memory.
#pragma once

#include <cstdint>
#include <vector>

namespace adcl::capi::v1 {

/// All levels of pointers, one after the other, over \p memory: array[i][j]...[k] is an entry. The first one is what a
/// program calls the array. \p extents has two or more, each at least 1; entries are \p entry_bytes apart.
std::vector<void*> pointer_array(void* memory, const std::vector<int>& extents, std::int64_t entry_bytes);

/// The memory below \p data if that is such an array, which all its rows lie in, one after the other; otherwise null:
/// \p data is the memory itself. An array with one row is never taken for pointers. Reads nothing that cannot be read.
void* memory_below(const void* data, const std::vector<int>& extents, std::int64_t entry_bytes);

}  // namespace adcl::capi::v1
