/// \file sequence_hash.hpp
/// Hash of a sequence, computed from the hashes of its parts, so that long repetitive sequences need not be expanded.
/// Pure.
#pragma once

#include <cstdint>

#include "core/hash.hpp"

namespace adcl {

/// A polynomial in the items, modulo 2^64. Equal sequences have equal hashes, however they were composed.
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
