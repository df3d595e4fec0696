#include "process_memory.hpp"

#include <charconv>
#include <fstream>
#include <string>
#include <string_view>

#include "heap.hpp"

namespace adcl::bench {

std::optional<std::int64_t> proportional_bytes(std::istream& smaps) {
  constexpr std::string_view key = "Pss:";
  std::optional<std::int64_t> total;
  for (std::string line; std::getline(smaps, line);) {
    if (!line.starts_with(key)) {
      continue;
    }
    const std::size_t digits = line.find_first_of("0123456789");
    std::int64_t kibibytes = 0;
    if (digits != std::string::npos &&
        std::from_chars(line.data() + digits, line.data() + line.size(), kibibytes).ec == std::errc()) {
      total = total.value_or(0) + kibibytes * 1024;
    }
  }
  return total;
}

std::optional<std::int64_t> proportional_bytes() {
  heap::trim();
  std::ifstream smaps("/proc/self/smaps");
  return proportional_bytes(smaps);
}

}  // namespace adcl::bench
