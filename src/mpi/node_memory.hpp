/// \file node_memory.hpp
/// Memory that processes of one machine share without MPI: one of them makes it, the others map it.
///
/// The space is reserved when the memory is made, so that a file system that is full is an error and not a signal at
/// the first access. Everything is local.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace adcl::mpi {

/// Where the memory is.
enum class NodeMemoryKind {
  anonymous,  ///< a file without a name, opened through /proc; not limited by the size of /dev/shm
  named       ///< a file in /dev/shm, for processes that do not see each other in /proc
};

/// What the memory is for.
enum class NodeMemoryUse {
  messages,  ///< of the library's own
  pieces,    ///< the same, but its pieces are counted (node_piece.hpp)
  array      ///< of the application: no other process may write to it, and it is counted separately
};

/// What another process needs to map the memory; sent as bytes.
struct NodeMemoryHandle {
  std::int64_t process = 0;
  std::int64_t descriptor = -1;
  std::uint64_t bytes = 0;
  std::array<std::uint64_t, 2> key{};  ///< which the memory begins with
  std::array<char, 48> name{};         ///< of a named memory
};

/// A mapping of shared memory, undone by the destructor.
class NodeMapping {
 public:
  enum class Access { read, write };

  NodeMapping() = default;
  /// Maps \p bytes of an open file.
  NodeMapping(int descriptor, std::size_t bytes, Access access);
  /// Maps the memory of another process, or of this one. Throws Error(unsupported) when this process cannot.
  NodeMapping(const NodeMemoryHandle& handle, Access access);
  NodeMapping(NodeMapping&& other) noexcept;
  NodeMapping& operator=(NodeMapping&& other) noexcept;
  NodeMapping(const NodeMapping&) = delete;
  NodeMapping& operator=(const NodeMapping&) = delete;
  ~NodeMapping();

  /// Behind the key; aligned to a cache line.
  [[nodiscard]] std::byte* data() const noexcept { return address_ + head_bytes; }
  [[nodiscard]] std::byte* begin() const noexcept { return address_; }
  /// Has the system map the pages of \p bytes from \p first on, which are mapped for \p access, now rather than at the
  /// first access, where it can.
  static void touch(const std::byte* first, std::size_t bytes, Access access) noexcept;

  static constexpr std::size_t head_bytes = 64;

 private:
  std::byte* address_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Shared memory of this process, zero at first.
class NodeMemory {
 public:
  /// Throws Error(memory) when there is not enough space, Error(unsupported) when the system has no such memory.
  NodeMemory(std::size_t bytes, NodeMemoryKind kind, NodeMemoryUse use = NodeMemoryUse::messages);
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;
  ~NodeMemory();

  [[nodiscard]] std::byte* data() const noexcept { return mapping_.data(); }
  [[nodiscard]] const NodeMemoryHandle& handle() const noexcept { return handle_; }
  /// Of memory for pieces, for which space is reserved as they need it: the first \p bytes from data() on. Throws
  /// Error(memory) when there is not enough.
  void reserve(std::size_t bytes);
  /// From now on no process can map it any more: nothing is left behind, however the program ends.
  void close() noexcept;
  /// Bytes for messages that this process has made and not given back.
  static std::size_t held_bytes() noexcept;
  /// Counts so many bytes more, and less.
  static void hold(std::size_t bytes) noexcept;
  static void release(std::size_t bytes) noexcept;

 private:
  void open(NodeMemoryKind kind);
  void reserve_file(std::uint64_t bytes);

  NodeMemoryHandle handle_;
  NodeMemoryUse use_;
  NodeMapping mapping_;
  int descriptor_ = -1;
  std::uint64_t reserved_ = 0;  ///< of the file
};

}  // namespace adcl::mpi
