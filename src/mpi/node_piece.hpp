/// \file node_piece.hpp
/// Pieces of memory that processes of one machine share. A solver with many requests needs one for each, and a search
/// one for each codelet that it tries: they come out of larger memories (node_memory.hpp), which are made and mapped
/// once, and are used again. Everything is local.
#pragma once

#include <cstddef>
#include <memory>

#include "mpi/node_memory.hpp"

namespace adcl::mpi {

/// Shared memory of this process, zero at first, aligned to a cache line.
class NodePiece {
 public:
  NodePiece() = default;
  /// Of an anonymous memory, unless it is large, part of one that other pieces are in, too. Throws as NodeMemory does.
  NodePiece(std::size_t bytes, NodeMemoryKind kind);
  NodePiece(NodePiece&& other) noexcept;
  NodePiece& operator=(NodePiece&& other) noexcept;
  NodePiece(const NodePiece&) = delete;
  NodePiece& operator=(const NodePiece&) = delete;
  ~NodePiece();

  [[nodiscard]] std::byte* data() const noexcept { return memory_->data() + offset_; }
  /// What other processes need to map the memory that it is in.
  [[nodiscard]] const NodeMemoryHandle& handle() const noexcept { return memory_->handle(); }
  /// Where it is there.
  [[nodiscard]] std::size_t offset() const noexcept { return offset_; }
  /// The processes that use it have mapped it: where it has a memory for itself, no other can do so any more. Its place
  /// is used again when it is gone and \p users, other processes or this one, have left it, before this call or after.
  void close(int users) noexcept;
  /// A user of the piece at \p offset of \p memory will not touch it any more.
  static void leave(const NodeMapping& memory, std::size_t offset) noexcept;

 private:
  std::shared_ptr<NodeMemory> memory_;
  std::size_t offset_ = 0;   ///< 0: it has a memory for itself
  std::size_t counted_ = 0;  ///< bytes of a common memory that are counted as held
};

/// While one of these lives, memories that no piece is in any more are kept for the next one, and stay mapped where
/// they are not used.
class KeptPieces {
 public:
  KeptPieces() noexcept;
  KeptPieces(const KeptPieces&) = delete;
  KeptPieces& operator=(const KeptPieces&) = delete;
  ~KeptPieces();
};

/// The memory of another process, or the same mapping again: each memory is mapped for one kind of access only.
std::shared_ptr<const NodeMapping> map_memory(const NodeMemoryHandle& handle, NodeMapping::Access access);

}  // namespace adcl::mpi
