/// \file array_memory.hpp
/// Memory for arrays of the application. Other processes of the machine can read it if the system supports that.
/// Everything is local.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "mpi/node_memory.hpp"

namespace adcl::mpi {

/// Whether to share an array's memory with other processes if possible.
enum class Sharing { wanted, unwanted };

/// Initialized to zero, and aligned to a cache line.
///
/// The constructor reserves shared memory. If there is not enough space, no file descriptor or no support by the
/// system, the memory is private: failure to share is not an error. Another process's mapping stays valid after this
/// object is destroyed.
class ArrayMemory {
 public:
  /// Throws Error(memory) if neither shared nor private memory is available.
  static std::shared_ptr<ArrayMemory> make(std::size_t bytes, Sharing sharing);
  /// Returns the memory that contains the \p bytes bytes from \p address, or null if no ArrayMemory contains all of
  /// them.
  static std::shared_ptr<const ArrayMemory> containing(const void* address, std::size_t bytes);

  ~ArrayMemory();
  ArrayMemory(const ArrayMemory&) = delete;
  ArrayMemory& operator=(const ArrayMemory&) = delete;

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Reason why other processes cannot map the memory; empty if they can, through handle().
  [[nodiscard]] const std::string& private_because() const noexcept { return private_because_; }
  [[nodiscard]] const NodeMemoryHandle& handle() const noexcept { return shared_->handle(); }

 private:
  ArrayMemory(std::size_t bytes, Sharing sharing);
  void share();

  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };

  std::size_t bytes_;
  std::unique_ptr<std::byte, Free> own_;  ///< null if the memory is shared
  std::unique_ptr<NodeMemory> shared_;
  std::byte* data_ = nullptr;
  std::string private_because_;
};

}  // namespace adcl::mpi
