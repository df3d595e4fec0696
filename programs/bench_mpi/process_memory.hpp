/// \file process_memory.hpp
/// The memory of this process as the system sees it.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>

namespace adcl::bench {

struct ProcessMemory {
  std::int64_t share_bytes = 0;     ///< proportional set size: a page that n processes share counts as 1/n
  std::int64_t resident_bytes = 0;  ///< resident set size: it counts in full
};

/// The sums over all mappings of a text as in /proc/self/smaps; nothing when it has no mapping with sizes.
std::optional<ProcessMemory> memory_of(std::istream& smaps);

/// Those of this process, after freed memory was given back to the system; nothing where the system does not tell.
std::optional<ProcessMemory> process_memory();

}  // namespace adcl::bench
