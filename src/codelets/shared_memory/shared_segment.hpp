/// \file shared_segment.hpp
/// Shared memory of the ranks of a node, and messages through it.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codelets/shared_memory/patience.hpp"
#include "mpi/node_piece.hpp"

namespace adcl::codelets {

/// One message per operation from one rank to another rank of the same node. Two or more slots are used in turn, so
/// that the sender never waits for the receiver of the same operation; with n slots, the sender may run n - 1
/// operations ahead.
///
/// Both sides number operations 1, 2, 3, … A slot holds the number of its operation in front of the data, so a short
/// message is one cache line.
class SharedLink {
 public:
  static constexpr std::size_t line_bytes = 64;
  static constexpr std::uint64_t fewest_slots = 2;

  SharedLink() = default;
  /// \p memory: memory_bytes(bytes) bytes that both ranks map, zero before the first operation. \p acknowledged: the
  /// receiver must acknowledge free slots explicitly, because no message from it to the sender implies the
  /// acknowledgement. Uses two slots.
  SharedLink(std::byte* memory, std::size_t bytes, bool acknowledged);
  /// One message for several receivers: \p acknowledgement is a cache line of this receiver, \p slots are common to all
  /// receivers, slots_ahead(bytes) of them.
  SharedLink(std::byte* acknowledgement, std::byte* slots, std::size_t bytes);

  /// Number of slots for messages in one direction only: short messages are sent far ahead.
  static std::uint64_t slots_ahead(std::size_t bytes) noexcept;
  /// Size of one cache line per receiver plus \p slots slots.
  static std::size_t memory_bytes(std::size_t bytes, std::size_t receivers = 1, std::uint64_t slots = fewest_slots);

  /// Memory into which the sender packs the data of \p operation. Its slot must be free().
  [[nodiscard]] std::byte* outgoing(std::uint64_t operation) const noexcept { return slot(operation) + header_bytes; }
  void publish(std::uint64_t operation) const noexcept { store(slot(operation), operation); }

  /// True when the data of \p operation have arrived; incoming() then points to them, until release().
  [[nodiscard]] bool arrived(std::uint64_t operation) const noexcept { return load(slot(operation)) == operation; }
  [[nodiscard]] const std::byte* incoming(std::uint64_t operation) const noexcept {
    return slot(operation) + header_bytes;
  }
  void release(std::uint64_t operation) const noexcept {
    if (acknowledgement_ != nullptr) {
      store(acknowledgement_, operation);
    }
  }

  /// True when the sender may pack the data of \p operation. Reads the receiver's acknowledgement only if the value
  /// that was read last is not sufficient, because each read transfers a cache line from another core.
  [[nodiscard]] bool free(std::uint64_t operation) noexcept {
    if (acknowledgement_ == nullptr || operation <= acknowledged_ + slot_mask_ + 1) {
      return true;
    }
    acknowledged_ = load(acknowledgement_);
    return operation <= acknowledged_ + slot_mask_ + 1;
  }

 private:
  /// Keeps the data aligned for every element type.
  static constexpr std::size_t header_bytes = 16;

  static std::uint64_t load(std::byte* place) noexcept {
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(place)).load(std::memory_order_acquire);
  }
  static void store(std::byte* place, std::uint64_t value) noexcept {
    std::atomic_ref(*reinterpret_cast<std::uint64_t*>(place)).store(value, std::memory_order_release);
  }
  [[nodiscard]] std::byte* slot(std::uint64_t operation) const noexcept {
    return slots_ + (operation & slot_mask_) * slot_bytes_;
  }

  std::byte* acknowledgement_ = nullptr;  ///< cache line with the acknowledged operation; null: not needed
  std::byte* slots_ = nullptr;
  std::size_t slot_bytes_ = 0;
  std::uint64_t slot_mask_ = fewest_slots - 1;  ///< number of slots minus 1; the number is a power of two
  std::uint64_t acknowledged_ = 0;              ///< the value that the sender read last
};

/// The other end of a link: its rank, and the tag with which both ends exchange its location. Links with the same tag
/// between two ranks are exchanged in order.
struct SharedEnd {
  int peer = 0;
  int tag = 0;
};

/// Location of a link, in the memory of its sender.
struct SharedPlace {
  mpi::NodeMemoryHandle memory;
  std::uint64_t offset = 0;
  std::uint64_t piece = 0;  ///< offset of the piece that contains all links of the sender
};

/// The links of a rank, and the offsets of its send links in its memory.
struct SharedEnds {
  std::vector<SharedEnd> sends;
  std::vector<SharedEnd> receives;
  std::vector<std::size_t> offsets;  ///< offset of each send
  std::size_t bytes = 0;             ///< total size of all send links
};

/// This rank's part of the node's shared memory, and the mappings of its neighbors' parts.
class SharedSegment {
 public:
  /// Calls \p prepare (local) for the links of this rank, allocates memory for its send links, and maps the peers'
  /// memory for its receive links. All peers are ranks of this machine. Collective over \p comm: throws the same error
  /// on all ranks if \p prepare fails, or a rank has no space or cannot map another rank's memory. Uses tags from
  /// \p tag_base on.
  SharedSegment(MPI_Comm comm, int tag_base, const std::function<SharedEnds()>& prepare);
  SharedSegment(const SharedSegment&) = delete;
  SharedSegment& operator=(const SharedSegment&) = delete;
  /// All operations of this rank must be complete; other ranks may still read its messages.
  ~SharedSegment();

  /// Memory of the link of send \p i.
  [[nodiscard]] std::byte* outgoing(std::size_t i) const { return own_.data() + ends_.offsets[i]; }
  /// Memory of the link of receive \p i.
  [[nodiscard]] std::byte* incoming(std::size_t i) const {
    return mapped_.at(ends_.receives[i].peer)->data() + places_[i].offset;
  }

 private:
  void make(MPI_Comm comm, int tag_base, const std::function<void()>& prepare, mpi::NodeMemoryKind kind);
  void exchange_places(MPI_Comm comm, int tag_base);

  SharedEnds ends_;
  std::vector<SharedPlace> outgoing_;  ///< locations that the receivers need
  std::vector<SharedPlace> places_;    ///< locations of the receive links
  std::vector<MPI_Request> requests_;
  mpi::NodePiece own_;
  std::map<int, std::shared_ptr<const mpi::NodeMapping>> mapped_;  ///< mapping of each peer, by rank
  bool complete_ = false;                                          ///< constructed on all ranks
};

/// Lets MPI make progress with its pending operations.
void drive_mpi(MPI_Comm comm);

/// Waits for another process of this machine: spins first, then yields the core and lets MPI make progress.
class Backoff {
 public:
  explicit Backoff(MPI_Comm comm) : comm_(comm) {}
  void begin() noexcept {
    spins_left_ = patience_.spins();
    yields_ = 0;
    away_s_ = 0.0;
  }
  void pause();
  /// False after the first yield of the core: the wait may then be long.
  [[nodiscard]] bool spinning() const noexcept { return spins_left_ > 0; }
  void end() noexcept {
    if (yields_ > 0) {
      patience_.record(away_s_);
    }
  }

 private:
  MPI_Comm comm_;
  Patience patience_;
  unsigned spins_left_ = 0;
  unsigned yields_ = 0;
  double away_s_ = 0.0;  ///< longest time in seconds for which the process lost the core
};

}  // namespace adcl::codelets
