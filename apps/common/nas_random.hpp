/// \file nas_random.hpp
/// The random numbers of the NAS Parallel Benchmarks (NAS report RNR-94-007, section 2.3): x' = a x mod 2^46. Pure.
#pragma once

#include <cstdint>

namespace apps {

class NasRandom {
 public:
  static constexpr std::uint64_t default_seed = 314159265;
  static constexpr std::uint64_t multiplier = 1220703125;  // 5^13

  explicit constexpr NasRandom(std::uint64_t seed = default_seed) noexcept : state_(seed & mask) {}

  /// Uniform between 0 and 1.
  constexpr double next() noexcept {
    state_ = multiplier * state_ & mask;  // bits beyond 2^64 are also lost modulo 2^46
    return static_cast<double>(state_) * scale;
  }

  /// Advances the state by \p count calls of next().
  constexpr void skip(std::uint64_t count) noexcept {
    for (std::uint64_t power = multiplier; count > 0; count >>= 1U, power = power * power & mask) {
      if ((count & 1U) != 0) {
        state_ = state_ * power & mask;
      }
    }
  }

 private:
  static constexpr std::uint64_t mask = (std::uint64_t{1} << 46U) - 1;
  static constexpr double scale = 1.0 / static_cast<double>(std::uint64_t{1} << 46U);
  std::uint64_t state_;
};

}  // namespace apps
