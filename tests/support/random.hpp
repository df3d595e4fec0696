/// \file random.hpp
/// Random numbers that are the same on all ranks and machines for the same seed. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace adcl::test {

/// SplitMix64's finalizer (Steele et al. 2014).
constexpr std::uint64_t mixed(std::uint64_t z) noexcept {
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t next() noexcept { return mixed(state_ += 0x9e3779b97f4a7c15ULL); }
  /// Uniform in low ... high, both included.
  int between(int low, int high) noexcept {
    return low + static_cast<int>(next() % (static_cast<std::uint64_t>(high - low) + 1));
  }
  /// True once in \p times calls on average.
  bool one_in(int times) noexcept { return between(1, times) == 1; }
  template <typename Value>
  const Value& pick(const std::vector<Value>& values) noexcept {
    return values[static_cast<std::size_t>(between(0, static_cast<int>(values.size()) - 1))];
  }
  template <typename Value>
  void shuffle(std::vector<Value>& values) noexcept {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[static_cast<std::size_t>(next() % i)]);
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace adcl::test
