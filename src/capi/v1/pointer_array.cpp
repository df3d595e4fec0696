#include "capi/v1/pointer_array.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace adcl::capi::v1 {
namespace {

/// Reads memory that may be unmapped: a system call returns an error where a load would end the program.
class Prober {
 public:
  Prober() {
    if (pipe(ends_.data()) != 0) {
      ends_ = {-1, -1};
    }
  }
  ~Prober() {
    for (const int end : ends_) {
      if (end >= 0) {
        close(end);
      }
    }
  }
  Prober(const Prober&) = delete;
  Prober& operator=(const Prober&) = delete;

  /// Appends \p count addresses stored at \p from; returns false if they cannot be read.
  bool read(std::uintptr_t from, std::size_t count, std::vector<std::uintptr_t>& addresses) const {
    // POSIX guarantees that a pipe accepts this number of bytes in one write.
    constexpr std::size_t most = 512 / sizeof(std::uintptr_t);
    while (count > 0) {
      std::array<std::uintptr_t, most> part{};
      const std::size_t n = std::min(count, most);
      const auto bytes = static_cast<ssize_t>(n * sizeof(std::uintptr_t));
      if (write(ends_[1], reinterpret_cast<const void*>(from), static_cast<std::size_t>(bytes)) != bytes ||
          ::read(ends_[0], part.data(), static_cast<std::size_t>(bytes)) != bytes) {
        return false;
      }
      addresses.insert(addresses.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(n));
      from += static_cast<std::uintptr_t>(bytes);
      count -= n;
    }
    return true;
  }

 private:
  std::array<int, 2> ends_{};
};

std::uintptr_t row_bytes(const std::vector<int>& extents, std::int64_t entry_bytes) {
  return static_cast<std::uintptr_t>(extents.back()) * static_cast<std::uintptr_t>(entry_bytes);
}

}  // namespace

std::vector<void*> pointer_array(void* memory, const std::vector<int>& extents, std::int64_t entry_bytes) {
  const std::size_t levels = extents.size() - 1;
  std::vector<std::size_t> begins{0};
  std::size_t count = 1;
  for (std::size_t level = 0; level < levels; ++level) {
    count *= static_cast<std::size_t>(extents[level]);
    begins.push_back(begins.back() + count);
  }
  std::vector<void*> pointers(begins.back());
  const std::uintptr_t row = row_bytes(extents, entry_bytes);
  for (std::size_t level = 0; level < levels; ++level) {
    for (std::size_t i = begins[level]; i < begins[level + 1]; ++i) {
      const std::size_t number = i - begins[level];
      pointers[i] =
          level + 1 < levels
              ? static_cast<void*>(&pointers[begins[level + 1]] + number * static_cast<std::size_t>(extents[level + 1]))
              : reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(memory) + number * row);
    }
  }
  return pointers;
}

void* memory_below(const void* data, const std::vector<int>& extents, std::int64_t entry_bytes) {
  const Prober prober;
  std::vector<std::uintptr_t> level{reinterpret_cast<std::uintptr_t>(data)};
  for (std::size_t d = 0; d + 1 < extents.size(); ++d) {
    std::vector<std::uintptr_t> next;
    for (const std::uintptr_t array : level) {
      if (array == 0 || array % alignof(void*) != 0 ||
          !prober.read(array, static_cast<std::size_t>(extents[d]), next)) {
        return nullptr;
      }
    }
    level = std::move(next);
  }
  if (level.size() < 2 || level.front() == 0) {
    return nullptr;
  }
  const std::uintptr_t row = row_bytes(extents, entry_bytes);
  for (std::size_t i = 0; i < level.size(); ++i) {
    if (level[i] != level.front() + i * row) {
      return nullptr;
    }
  }
  return reinterpret_cast<void*>(level.front());
}

}  // namespace adcl::capi::v1
