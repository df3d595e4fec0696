/// \file direct_link.hpp
/// How two ranks of a node agree on when one of them reads the other one's array.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace adcl::codelets {

/// One message per operation from a rank, the writer, to another one, the reader, which copies it out of the writer's
/// array. Operations are numbered 1, 2, 3, … on both sides. Both have an object over the same memory.
///
/// The writer goes on when the array has been read. It may also pack the data into the link's memory instead, set them
/// aside, and go on when the reader has not claimed the array by then: writer and reader each say what they do before
/// they look at what the other one does, as in Dekker's algorithm, so that at least one of them knows of the other.
/// Source: E. W. Dijkstra, EWD 123, section 2.1.
class DirectLink {
 public:
  DirectLink() = default;
  /// \p memory: memory_bytes(bytes of the data) bytes, aligned to a cache line, zero before the first operation.
  explicit DirectLink(std::byte* memory) : memory_(memory) {}

  static constexpr std::size_t memory_bytes(std::size_t data_bytes) noexcept { return aside_place + lines(data_bytes); }

  /// The writer's side. The array may be read for \p operation; the one before is closed().
  void open(std::uint64_t operation) noexcept {
    aside_ = false;
    store(ready_place, operation);
  }
  /// True when the array may be written to, and the next operation begin. What was set aside for the operation before
  /// has been taken by then, as it is when the reader has started this one.
  [[nodiscard]] bool closed(std::uint64_t operation) const noexcept {
    const std::uint64_t read = load(read_place);
    return read == operation || (aside_ && !claimed_ && read == operation - 1);
  }
  /// Has the data written by \p pack(memory), once per operation, unless the reader has begun to read, or has not yet
  /// taken those of the operation before.
  template <typename Pack>
  void set_aside(std::uint64_t operation, const Pack& pack) {
    if (aside_ || load(read_place) + 1 < operation || load(claim_place) == operation) {
      return;
    }
    pack(memory_ + aside_place);
    at(aside_number_place).store(operation, std::memory_order_seq_cst);
    claimed_ = at(claim_place).load(std::memory_order_seq_cst) == operation;
    aside_ = true;
  }

  /// The reader's side. True when the data are there.
  [[nodiscard]] bool ready(std::uint64_t operation) const noexcept { return load(ready_place) >= operation; }
  /// True when they are to be read from the array, false when they are aside().
  [[nodiscard]] bool claim(std::uint64_t operation) const noexcept {
    at(claim_place).store(operation, std::memory_order_seq_cst);
    return at(aside_number_place).load(std::memory_order_seq_cst) != operation;
  }
  [[nodiscard]] const std::byte* aside() const noexcept { return memory_ + aside_place; }
  void say_read(std::uint64_t operation) const noexcept { store(read_place, operation); }

 private:
  static constexpr std::size_t line = 64;
  static constexpr std::size_t lines(std::size_t bytes) noexcept { return (bytes + line - 1) / line * line; }
  // Numbers of operations, each on lines of its own, of which a processor may fetch two at a time: what the writer
  // says; what the reader says at the end, at which the writer looks all the time; and what the reader says at the
  // beginning, at which the writer seldom looks, so that saying it is cheap.
  static constexpr std::size_t ready_place = 0;
  static constexpr std::size_t aside_number_place = 8;
  static constexpr std::size_t read_place = 2 * line;
  static constexpr std::size_t claim_place = 4 * line;
  static constexpr std::size_t aside_place = 6 * line;

  [[nodiscard]] std::atomic_ref<std::uint64_t> at(std::size_t place) const noexcept {
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(memory_ + place));
  }
  [[nodiscard]] std::uint64_t load(std::size_t place) const noexcept {
    return at(place).load(std::memory_order_acquire);
  }
  void store(std::size_t place, std::uint64_t value) const noexcept {
    at(place).store(value, std::memory_order_release);
  }

  std::byte* memory_ = nullptr;
  // Of the writer, for the operation in flight.
  bool aside_ = false;    ///< the data are also aside
  bool claimed_ = false;  ///< but the reader may be reading the array
};

}  // namespace adcl::codelets
