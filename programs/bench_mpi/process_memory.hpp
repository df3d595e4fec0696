/// \file process_memory.hpp
/// The memory of this process, as reported by the operating system.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>

namespace adcl::bench {

struct ProcessMemory {
  std::int64_t share_bytes = 0;     ///< proportional set size: a page that n processes share counts as 1/n
  std::int64_t resident_bytes = 0;  ///< resident set size: shared pages count in full
};

/// The sums over all mappings of a text in the format of /proc/self/smaps; nothing if no mapping has sizes.
std::optional<ProcessMemory> memory_of(std::istream& smaps);

/// The sums for this process, after it has returned freed memory to the system; nothing if the system does not report
/// memory sizes.
std::optional<ProcessMemory> process_memory();

}  // namespace adcl::bench
