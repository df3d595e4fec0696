/// \file process_memory.hpp
/// The memory of this process: its proportional set size, in which a page that n processes share counts as 1/n.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>

namespace adcl::bench {

/// The sum over all mappings of a text as in /proc/self/smaps, in bytes; nothing when it has no mapping with a size.
std::optional<std::int64_t> proportional_bytes(std::istream& smaps);

/// That of this process, after freed memory was given back to the system; nothing where the system does not tell.
std::optional<std::int64_t> proportional_bytes();

}  // namespace adcl::bench
