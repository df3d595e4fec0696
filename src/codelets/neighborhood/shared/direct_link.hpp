/// \file direct_link.hpp
/// Synchronization between two ranks of a node, one of which reads the other rank's array.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace adcl::codelets {

/// One message per operation from one rank, the writer, to another rank, the reader, which copies it out of the
/// writer's array. Both sides number operations 1, 2, 3, … Each constructs its own DirectLink over the shared memory.
///
/// The writer continues when the reader has read the array. Alternatively, the writer packs the data into the link's
/// memory (sets them aside), and continues if the reader has not claimed the array by then. Writer and reader each
/// store their own state before they read the other side's state, as in Dekker's algorithm, so that at least one of
/// them sees the other's state. Source: E. W. Dijkstra, EWD 123, section 2.1.
class DirectLink {
 public:
  DirectLink() = default;
  /// \p memory: memory_bytes(bytes of the data) bytes, aligned to a cache line, zero before the first operation.
  explicit DirectLink(std::byte* memory) : memory_(memory) {}

  static constexpr std::size_t memory_bytes(std::size_t data_bytes) noexcept { return aside_place + lines(data_bytes); }

  /// Writer: allows the reader to read the array for \p operation. The previous operation must be closed().
  void open(std::uint64_t operation) noexcept {
    aside_ = false;
    store(ready_place, operation);
  }
  /// Writer: true when the array may be written to and the next operation may begin. The reader has then started this
  /// operation, so it has read the data set aside for the previous operation.
  [[nodiscard]] bool closed(std::uint64_t operation) const noexcept {
    const std::uint64_t read = load(read_place);
    return read == operation || (aside_ && !claimed_ && read == operation - 1);
  }
  /// Writer: calls \p pack(memory) to store the data, at most once per operation, unless the reader has begun to read,
  /// or has not yet read the data set aside for the previous operation.
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

  /// Reader: true when the data are ready.
  [[nodiscard]] bool ready(std::uint64_t operation) const noexcept { return load(ready_place) >= operation; }
  /// Reader: true if it must read the data from the array, false if it must read them from aside().
  [[nodiscard]] bool claim(std::uint64_t operation) const noexcept {
    at(claim_place).store(operation, std::memory_order_seq_cst);
    return at(aside_number_place).load(std::memory_order_seq_cst) != operation;
  }
  [[nodiscard]] const std::byte* aside() const noexcept { return memory_ + aside_place; }
  void mark_read(std::uint64_t operation) const noexcept { store(read_place, operation); }

 private:
  static constexpr std::size_t line = 64;
  static constexpr std::size_t lines(std::size_t bytes) noexcept { return (bytes + line - 1) / line * line; }
  // Numbers of operations, in separate pairs of cache lines, because a processor may fetch two lines at a time: the
  // writer's number; the number that the reader stores at the end, which the writer polls; and the number that the
  // reader stores at the beginning, which the writer seldom reads, so that storing it is cheap.
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
  // Writer's state of the operation in flight.
  bool aside_ = false;    ///< the data were also set aside
  bool claimed_ = false;  ///< the reader may nevertheless be reading the array
};

}  // namespace adcl::codelets
