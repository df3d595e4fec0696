/// \file heap.hpp
/// Bytes that this process has allocated and not freed, by any library: malloc and similar functions are defined in
/// this program and replace those of libc for all libraries. Sizes are those of the blocks that were handed out,
/// padding included.
#pragma once

#include <cstdint>

namespace adcl::bench::heap {

/// Whether allocations are counted: not in a simulator, whose ranks are one process, nor where a sanitizer has taken
/// malloc's place.
bool is_counted();
std::int64_t live_bytes();
/// Gives memory that is free back to the system, where the allocator is libc's.
void trim();

}  // namespace adcl::bench::heap
