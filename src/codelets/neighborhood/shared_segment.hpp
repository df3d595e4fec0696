/// \file shared_segment.hpp
/// Memory that the ranks of a node share, and messages through it.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "codelets/neighborhood/cache_keys.hpp"
#include "core/halo_problem.hpp"
#include "mpi/context.hpp"

namespace adcl::codelets {

/// One message per operation from one rank to another one of the same node. Two slots take turns, so that the sender
/// never waits for the receiver of the same operation.
///
/// Operations are numbered 1, 2, 3, … on both sides. A slot holds the number of the operation whose data it has, in
/// front of the data: a short message is one cache line.
class SharedLink {
 public:
  static constexpr std::size_t line_bytes = 64;

  SharedLink() = default;
  /// \p memory: memory_bytes(bytes) bytes that both ranks see, zero before the first operation. \p acknowledged: the
  /// sender must be told that a slot is free, because it receives nothing from this receiver that says so.
  SharedLink(std::byte* memory, std::size_t bytes, bool acknowledged);

  static std::size_t memory_bytes(std::size_t bytes);

  /// Where the sender packs the data of \p operation. Its slot must be free().
  [[nodiscard]] std::byte* outgoing(std::uint64_t operation) const noexcept { return slot(operation) + header_bytes; }
  void publish(std::uint64_t operation) const noexcept { store(slot(operation), operation); }

  /// True when the data of \p operation have arrived; then incoming() are they, until release().
  [[nodiscard]] bool arrived(std::uint64_t operation) const noexcept { return load(slot(operation)) == operation; }
  [[nodiscard]] const std::byte* incoming(std::uint64_t operation) const noexcept {
    return slot(operation) + header_bytes;
  }
  void release(std::uint64_t operation) const noexcept {
    if (acknowledged_) {
      store(memory_, operation);
    }
  }

  /// True when the sender may pack the data of \p operation.
  [[nodiscard]] bool free(std::uint64_t operation) const noexcept {
    return !acknowledged_ || operation <= 2 || load(memory_) >= operation - 2;
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
    return memory_ + line_bytes + (operation % 2) * slot_bytes_;
  }

  std::byte* memory_ = nullptr;  ///< a line for the acknowledged operation, then the slots
  std::size_t slot_bytes_ = 0;
  bool acknowledged_ = false;
};

/// A window of memory shared by the ranks of a node; each rank contributes a part.
class SharedSegment {
 public:
  /// Collective over the context's communicator. \p bytes of this rank's part are set to zero. \p kind distinguishes
  /// the codelets of a request: their plans may exist together.
  SharedSegment(const HaloProblem& problem, mpi::Context& context, std::size_t bytes, WindowKind kind);

  /// The part of a rank of the context's communicator that shares memory with this one.
  [[nodiscard]] std::byte* part_of(int rank) const;

 private:
  std::vector<int> shared_rank_;
  std::shared_ptr<mpi::Window> window_;
};

/// Ranks that can exchange through memory: they share it and are on the same node of the problem's node map.
/// Collective at the first call on a context.
std::vector<bool> same_node(const HaloProblem& problem, mpi::Context& context);

/// Lets MPI make progress with whatever it has under way.
void drive_mpi(MPI_Comm comm);

/// Waits for something that another process of this machine does: spins first, then gives the core away and drives MPI.
class Backoff {
 public:
  explicit Backoff(MPI_Comm comm) : comm_(comm) {}
  void pause();

 private:
  MPI_Comm comm_;
  int spins_left_ = 256;
  unsigned yields_ = 0;
};

}  // namespace adcl::codelets
