/// \file shared_segment.hpp
/// Memory that the ranks of a node share, and messages through it.
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

/// One message per operation from one rank to another one of the same node. Slots take turns, two or more, so that the
/// sender never waits for the receiver of the same operation; with more, it runs ahead by as many operations.
///
/// Operations are numbered 1, 2, 3, … on both sides. A slot holds the number of the operation whose data it has, in
/// front of the data: a short message is one cache line.
class SharedLink {
 public:
  static constexpr std::size_t line_bytes = 64;
  static constexpr std::uint64_t fewest_slots = 2;

  SharedLink() = default;
  /// \p memory: memory_bytes(bytes) bytes that both ranks see, zero before the first operation. \p acknowledged: the
  /// sender must be told that a slot is free, because it receives nothing from this receiver that says so. Two slots.
  SharedLink(std::byte* memory, std::size_t bytes, bool acknowledged);
  /// One message for several receivers: \p acknowledgement is a line of this receiver's own, \p slots are common to
  /// all, slots_ahead(bytes) of them.
  SharedLink(std::byte* acknowledgement, std::byte* slots, std::size_t bytes);

  /// How many slots of messages that one rank sends and others wait for: short ones are sent far ahead.
  static std::uint64_t slots_ahead(std::size_t bytes) noexcept;
  /// A line for each receiver, then \p slots slots.
  static std::size_t memory_bytes(std::size_t bytes, std::size_t receivers = 1, std::uint64_t slots = fewest_slots);

  /// Where the sender packs the data of \p operation. Its slot must be free().
  [[nodiscard]] std::byte* outgoing(std::uint64_t operation) const noexcept { return slot(operation) + header_bytes; }
  void publish(std::uint64_t operation) const noexcept { store(slot(operation), operation); }

  /// True when the data of \p operation have arrived; then incoming() are they, until release().
  [[nodiscard]] bool arrived(std::uint64_t operation) const noexcept { return load(slot(operation)) == operation; }
  [[nodiscard]] const std::byte* incoming(std::uint64_t operation) const noexcept {
    return slot(operation) + header_bytes;
  }
  void release(std::uint64_t operation) const noexcept {
    if (acknowledgement_ != nullptr) {
      store(acknowledgement_, operation);
    }
  }

  /// True when the sender may pack the data of \p operation. It looks at what the receiver has written only when what
  /// it saw there last does not say so: each look is a cache line from another core.
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

  std::byte* acknowledgement_ = nullptr;  ///< a line for the acknowledged operation; null: there is no need of it
  std::byte* slots_ = nullptr;
  std::size_t slot_bytes_ = 0;
  std::uint64_t slot_mask_ = fewest_slots - 1;  ///< slots less 1; they are a power of two
  std::uint64_t acknowledged_ = 0;              ///< what the sender saw last
};

/// The other end of a link: its rank, and the tag by which both ends tell each other of it. Links of one tag between
/// two ranks are told in order.
struct SharedEnd {
  int peer = 0;
  int tag = 0;
};

/// Where a link is: in the memory of its sender.
struct SharedPlace {
  mpi::NodeMemoryHandle memory;
  std::uint64_t offset = 0;
  std::uint64_t piece = 0;  ///< where the piece begins that all links of the sender are in
};

/// The links of a rank, and its own ones' places in its memory.
struct SharedEnds {
  std::vector<SharedEnd> sends;
  std::vector<SharedEnd> receives;
  std::vector<std::size_t> offsets;  ///< of each send
  std::size_t bytes = 0;             ///< of all sends
};

/// This rank's share of the memory through which the ranks of a node exchange, and the mappings of its neighbors'.
class SharedSegment {
 public:
  /// Asks \p prepare for the links of this rank, which is local work, makes memory for those that it sends along, and
  /// maps what the peers of the others have made for it. All are ranks of this machine. Collective over \p comm: throws
  /// the same error on all ranks when \p prepare fails, or a rank has no space or cannot map another one's memory. Tags
  /// from \p tag_base on are used.
  SharedSegment(MPI_Comm comm, int tag_base, const std::function<SharedEnds()>& prepare);
  SharedSegment(const SharedSegment&) = delete;
  SharedSegment& operator=(const SharedSegment&) = delete;
  /// Every operation of this rank is complete; others may still read what it has sent.
  ~SharedSegment();

  /// Where the link of send \p i is.
  [[nodiscard]] std::byte* outgoing(std::size_t i) const { return own_.data() + ends_.offsets[i]; }
  /// Where the link of receive \p i is.
  [[nodiscard]] std::byte* incoming(std::size_t i) const {
    return mapped_.at(ends_.receives[i].peer)->data() + places_[i].offset;
  }

 private:
  void make(MPI_Comm comm, int tag_base, const std::function<void()>& prepare, mpi::NodeMemoryKind kind);
  void exchange_places(MPI_Comm comm, int tag_base);

  SharedEnds ends_;
  std::vector<SharedPlace> outgoing_;  ///< what the receivers are told
  std::vector<SharedPlace> places_;    ///< of the receives
  std::vector<MPI_Request> requests_;
  mpi::NodePiece own_;
  std::map<int, std::shared_ptr<const mpi::NodeMapping>> mapped_;  ///< by rank
  bool complete_ = false;                                          ///< on all ranks
};

/// Lets MPI make progress with whatever it has under way.
void drive_mpi(MPI_Comm comm);

/// Waits for something that another process of this machine does: spins first, then gives the core away and drives MPI.
class Backoff {
 public:
  explicit Backoff(MPI_Comm comm) : comm_(comm) {}
  void begin() noexcept {
    spins_left_ = patience_.spins();
    yields_ = 0;
    away_s_ = 0.0;
  }
  void pause();
  /// False from when it gives the core away on: what it waits for may take long.
  [[nodiscard]] bool spinning() const noexcept { return spins_left_ > 0; }
  void end() noexcept {
    if (yields_ > 0) {
      patience_.learn(away_s_);
    }
  }

 private:
  MPI_Comm comm_;
  Patience patience_;
  unsigned spins_left_ = 0;
  unsigned yields_ = 0;
  double away_s_ = 0.0;  ///< the longest time for which the core was away
};

}  // namespace adcl::codelets
