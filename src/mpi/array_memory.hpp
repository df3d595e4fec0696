/// \file array_memory.hpp
/// Memory for arrays of the application, which other processes of the machine can read where the system allows it.
/// Everything is local.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "mpi/node_memory.hpp"

namespace adcl::mpi {

/// Whether an array's memory is to be shared with other processes where that is possible.
enum class Sharing { wanted, unwanted };

/// Zero at first, and aligned to a cache line.
///
/// Shared memory is reserved when it is made. Where that is not possible, for want of space, of descriptors or of
/// support by the system, the memory is the process's own: sharing is never a reason to fail. A mapping that another
/// process has made stays good when this object is gone.
class ArrayMemory {
 public:
  /// Throws Error(memory) when there is not enough memory of either kind.
  static std::shared_ptr<ArrayMemory> make(std::size_t bytes, Sharing sharing);
  /// The memory in which \p bytes bytes from \p address on lie, or null when no ArrayMemory has all of them.
  static std::shared_ptr<const ArrayMemory> around(const void* address, std::size_t bytes);

  ~ArrayMemory();
  ArrayMemory(const ArrayMemory&) = delete;
  ArrayMemory& operator=(const ArrayMemory&) = delete;

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Why other processes cannot map it; empty: they can, by handle().
  [[nodiscard]] const std::string& private_because() const noexcept { return private_because_; }
  [[nodiscard]] const NodeMemoryHandle& handle() const noexcept { return shared_->handle(); }

 private:
  ArrayMemory(std::size_t bytes, Sharing sharing);
  void share();

  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };

  std::size_t bytes_;
  std::unique_ptr<std::byte, Free> own_;  ///< null when it is shared
  std::unique_ptr<NodeMemory> shared_;
  std::byte* data_ = nullptr;
  std::string private_because_;
};

}  // namespace adcl::mpi
