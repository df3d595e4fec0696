/// \file heap.hpp
/// Bytes that this process has allocated and not freed, by any library: this program defines malloc and similar
/// functions, which replace libc's functions in all libraries. Sizes are block sizes of the allocator, padding
/// included.
#pragma once

#include <cstdint>

namespace adcl::bench::heap {

/// Whether allocations are counted: not in a simulator, whose ranks share one process, and not if a sanitizer replaces
/// malloc.
bool is_counted();
std::int64_t live_bytes();
/// Returns free memory to the system if the allocator is libc's.
void trim();

}  // namespace adcl::bench::heap
