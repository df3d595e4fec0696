/// \file node_piece.hpp
/// Pieces of memory that processes of one machine share. A solver with many requests needs a piece for each, and a
/// search needs one for each codelet that it tries. The pieces are parts of larger memories (node_memory.hpp), which
/// are created and mapped once, and are reused. Everything is local.
#pragma once

#include <cstddef>
#include <memory>

#include "mpi/node_memory.hpp"

namespace adcl::mpi {

/// Shared memory of this process, initialized to zero, aligned to a cache line.
class NodePiece {
 public:
  NodePiece() = default;
  /// With \c anonymous, the piece is part of a memory that it shares with other pieces, unless it is large. Throws the
  /// errors of NodeMemory.
  NodePiece(std::size_t bytes, NodeMemoryKind kind);
  NodePiece(NodePiece&& other) noexcept = default;
  NodePiece& operator=(NodePiece&& other) noexcept;
  NodePiece(const NodePiece&) = delete;
  NodePiece& operator=(const NodePiece&) = delete;
  ~NodePiece();

  [[nodiscard]] std::byte* data() const noexcept { return memory_->data() + offset_; }
  /// The handle with which other processes map the memory that contains the piece.
  [[nodiscard]] const NodeMemoryHandle& handle() const noexcept { return memory_->handle(); }
  /// Offset of the piece in that memory.
  [[nodiscard]] std::size_t offset() const noexcept { return offset_; }
  /// Call it when all processes that use the piece have mapped it. If the piece has its own memory, no other process
  /// can map it afterward. The space is reused when the piece is destroyed and \p users processes (possibly including
  /// this one) have called leave(), before or after this call.
  void close(int users) noexcept;
  /// States that the caller no longer accesses the piece at \p offset of \p memory.
  static void leave(const NodeMapping& memory, std::size_t offset) noexcept;

 private:
  std::shared_ptr<NodeMemory> memory_;  ///< null: there is no piece
  std::size_t offset_ = 0;              ///< 0: the piece has its own memory
};

/// While an object of this class exists, empty memories are kept for the next piece, and unused memories stay mapped.
class KeptPieces {
 public:
  KeptPieces() noexcept;
  KeptPieces(const KeptPieces&) = delete;
  KeptPieces& operator=(const KeptPieces&) = delete;
  ~KeptPieces();
};

/// Maps the memory of another process, or returns the existing mapping. Each memory is mapped for one kind of access
/// only.
std::shared_ptr<const NodeMapping> map_memory(const NodeMemoryHandle& handle, NodeMapping::Access access);

}  // namespace adcl::mpi
