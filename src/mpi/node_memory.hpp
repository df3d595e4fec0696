/// \file node_memory.hpp
/// Memory that processes of one machine share without MPI: one process creates the memory, the other processes map it.
///
/// The space is reserved at creation, so that a full file system causes an error and not a signal at the first access.
/// Everything is local.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace adcl::mpi {

/// Location of the memory.
enum class NodeMemoryKind {
  anonymous,  ///< a file without a name, opened through /proc; not limited by the size of /dev/shm
  named       ///< a file in /dev/shm, for processes that do not see each other in /proc
};

/// Purpose of the memory.
enum class NodeMemoryUse {
  messages,  ///< messages of the library
  pieces,    ///< pieces for messages, counted piece by piece (node_piece.hpp)
  array      ///< an array of the application: other processes must not write to it; counted separately
};

/// The data with which another process maps the memory; sent as bytes.
struct NodeMemoryHandle {
  std::int64_t process = 0;
  std::int64_t descriptor = -1;
  std::uint64_t bytes = 0;
  std::array<std::uint64_t, 2> key{};  ///< stored at the beginning of the memory
  std::array<char, 48> name{};         ///< file name, for named memory
};

/// A mapping of shared memory, undone by the destructor.
class NodeMapping {
 public:
  enum class Access { read, write };

  NodeMapping() = default;
  /// Maps \p bytes of an open file.
  NodeMapping(int descriptor, std::size_t bytes, Access access);
  /// Maps memory of another process, or of this process. Throws Error(unsupported) if this process cannot map it.
  NodeMapping(const NodeMemoryHandle& handle, Access access);

  /// First byte after the key; aligned to a cache line.
  [[nodiscard]] std::byte* data() const noexcept { return begin() + head_bytes; }
  [[nodiscard]] std::byte* begin() const noexcept { return memory_.get(); }
  /// Populates the pages of \p bytes from \p first on, which are mapped for \p access, now rather than at the first
  /// access, if the system supports it.
  static void touch(const std::byte* first, std::size_t bytes, Access access) noexcept;

  static constexpr std::size_t head_bytes = 64;

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(std::byte* memory) const noexcept;
  };
  std::unique_ptr<std::byte, Unmap> memory_;
};

/// Shared memory of this process, initialized to zero.
class NodeMemory {
 public:
  /// Throws Error(memory) if there is not enough space, Error(unsupported) if the system does not support this kind.
  NodeMemory(std::size_t bytes, NodeMemoryKind kind, NodeMemoryUse use = NodeMemoryUse::messages);
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;
  ~NodeMemory();

  [[nodiscard]] std::byte* data() const noexcept { return mapping_.data(); }
  [[nodiscard]] const NodeMemoryHandle& handle() const noexcept { return handle_; }
  /// For memory of pieces: reserves space for the first \p bytes from data() on. Throws Error(memory) if there is not
  /// enough.
  void reserve(std::size_t bytes);
  /// Prevents further mappings. Afterward, no file remains, however the program ends.
  void close() noexcept;
  /// Bytes for messages that this process has allocated and not released.
  static std::size_t held_bytes() noexcept;
  /// Adds or subtracts \p bytes in held_bytes().
  static void hold(std::size_t bytes) noexcept;
  static void release(std::size_t bytes) noexcept;

 private:
  void open(NodeMemoryKind kind);
  void reserve_file(std::uint64_t bytes);

  NodeMemoryHandle handle_;
  NodeMemoryUse use_;
  NodeMapping mapping_;
  int descriptor_ = -1;
  std::uint64_t reserved_ = 0;  ///< bytes of the file that are reserved
};

}  // namespace adcl::mpi
