#include "process_memory.hpp"

#include <charconv>
#include <fstream>
#include <string>
#include <string_view>

#include "heap.hpp"

namespace adcl::bench {
namespace {

/// The number in a line such as "Pss:    12 kB"; nothing for other lines.
std::optional<std::int64_t> bytes_of(const std::string& line, std::string_view key) {
  const std::size_t digits = line.starts_with(key) ? line.find_first_of("0123456789") : std::string::npos;
  std::int64_t kibibytes = 0;
  if (digits == std::string::npos ||
      std::from_chars(line.data() + digits, line.data() + line.size(), kibibytes).ec != std::errc()) {
    return std::nullopt;
  }
  return kibibytes * 1024;
}

}  // namespace

std::optional<ProcessMemory> memory_of(std::istream& smaps) {
  ProcessMemory total;
  bool found = false;
  for (std::string line; std::getline(smaps, line);) {
    const auto share = bytes_of(line, "Pss:");
    total.share_bytes += share.value_or(0);
    total.resident_bytes += bytes_of(line, "Rss:").value_or(0);
    found = found || share.has_value();
  }
  return found ? std::optional(total) : std::nullopt;
}

std::optional<ProcessMemory> process_memory() {
  heap::trim();
  std::ifstream smaps("/proc/self/smaps");
  return memory_of(smaps);
}

}  // namespace adcl::bench
