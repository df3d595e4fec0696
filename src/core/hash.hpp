/// \file hash.hpp
/// A 64-bit hash that is the same on every machine and in every run, because signatures are stored in files. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace adcl {

/// Accumulates values in order. Equal sequences have equal hashes.
class Hash {
 public:
  /// Adds one integer (finalizer of SplitMix64, Steele et al. 2014).
  Hash& add(std::uint64_t value) noexcept {
    state_ = mix(state_ ^ (mix(value) + 0x9e3779b97f4a7c15ULL));
    return *this;
  }
  Hash& add(std::string_view word) noexcept {
    for (const char letter : word) {
      add(static_cast<unsigned char>(letter));
    }
    return add(word.size());
  }
  template <typename Range>
  Hash& add_all(const Range& values) noexcept {
    for (const auto& value : values) {
      add(static_cast<std::uint64_t>(value));
    }
    return add(values.size());
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return state_; }

 private:
  static constexpr std::uint64_t mix(std::uint64_t z) noexcept {
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  }
  std::uint64_t state_ = 0x243f6a8885a308d3ULL;
};

/// Hash of a sequence, computed from the hashes of its parts, so that long repetitive sequences need not be expanded: a
/// polynomial in the items, modulo 2^64. Equal sequences have equal hashes, however they were composed.
class SequenceHash {
 public:
  /// The empty sequence.
  SequenceHash() = default;
  /// One item.
  explicit SequenceHash(std::uint64_t item) noexcept : hash_(Hash().add(item).value()), power_(0x9e3779b97f4a7c15ULL) {}

  SequenceHash& append(const SequenceHash& other) noexcept {
    hash_ = hash_ * other.power_ + other.hash_;
    power_ *= other.power_;
    return *this;
  }
  [[nodiscard]] SequenceHash repeated(std::int64_t times) const noexcept {
    SequenceHash result;
    SequenceHash doubled = *this;
    for (auto left = static_cast<std::uint64_t>(times); left > 0; left /= 2) {
      if (left % 2 == 1) {
        result.append(doubled);
      }
      doubled.append(SequenceHash(doubled));
    }
    return result;
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return hash_; }

 private:
  std::uint64_t hash_ = 0;
  std::uint64_t power_ = 1;
};

}  // namespace adcl
