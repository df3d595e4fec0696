/// \file handles.hpp
/// Handles of the C interface: an index and a generation, checked at every use.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "ADCL.h"
#include "core/error.hpp"

namespace adcl::capi {

/// Stored in the bits above the generation. Same numbers as in the `_NULL` macros of ADCL.h.
enum class HandleKind : std::uint32_t {
  vmap = 1,
  vector = 2,
  topology = 3,
  attribute = 4,
  attrset = 5,
  function = 6,
  fnctset = 7,
  request = 8,
  timer = 9
};

/// Objects of one kind. A lookup takes no lock and changes no reference count, because every start does a lookup.
template <typename Object>
class HandleTable {
 public:
  HandleTable(HandleKind kind, const char* type_name, std::uint32_t reserved)
      : kind_(kind), type_name_(type_name), next_(1 + reserved) {}

  /// Throws Error(memory) when all 65535 handles are in use.
  std::uint32_t insert(std::shared_ptr<Object> object) {
    const std::scoped_lock lock(mutex_);
    std::uint32_t index = 0;
    // First in, first out: a freed handle's index is reused as late as possible, its generation even later.
    if (free_.size() > minimum_free || next_ > max_index) {
      require(!free_.empty(), Code::memory, "there are already ", max_index, " objects of type ", type_name_);
      index = free_.front();
      free_.pop_front();
    } else {
      index = next_++;
    }
    return place(index, std::move(object));
  }

  /// Puts a predefined object at one of the reserved indices; its handle never changes.
  void insert_reserved(std::uint32_t index, std::shared_ptr<Object> object) {
    const std::scoped_lock lock(mutex_);
    Slot& slot = slot_at(index);
    slot.object = std::move(object);
    slot.value.store(base() | index, std::memory_order_release);
  }

  /// Returns the object, or nullptr if the handle does not belong to this table.
  [[nodiscard]] Object* find(std::uintptr_t handle) const noexcept {
    const std::uint32_t index = static_cast<std::uint32_t>(handle) & max_index;
    const Slot* chunk = chunks_[index / chunk_size].load(std::memory_order_acquire);
    if (chunk == nullptr || index == 0) {
      return nullptr;
    }
    const Slot& slot = chunk[index % chunk_size];
    return slot.value.load(std::memory_order_acquire) == handle ? slot.object.get() : nullptr;
  }

  /// Returns a shared pointer to the object. Throws Error(handle) with the name \p argument.
  [[nodiscard]] std::shared_ptr<Object> get(const void* handle, const char* argument) const {
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    if (find(value) == nullptr) {
      throw_bad(value, argument);
    }
    return chunks_[(value & max_index) / chunk_size].load(std::memory_order_acquire)[value % chunk_size].object;
  }

  /// Removes the object and invalidates its handle. Predefined objects cannot be removed.
  std::shared_ptr<Object> remove(const void* handle, const char* argument) {
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    if (find(value) == nullptr) {
      throw_bad(value, argument);
    }
    require((static_cast<std::uint32_t>(value) & ~(base() | max_index)) != 0, Code::handle, argument,
            " is a predefined ", type_name_, " and cannot be freed");
    const std::scoped_lock lock(mutex_);
    const std::uint32_t index = static_cast<std::uint32_t>(value) & max_index;
    Slot& slot = slot_at(index);
    slot.value.store(0, std::memory_order_release);
    free_.push_back(index);
    return std::exchange(slot.object, nullptr);
  }

  /// Removes all objects and returns them in the order of their handles' indices.
  std::vector<std::shared_ptr<Object>> remove_all() {
    std::vector<std::shared_ptr<Object>> objects;
    const std::scoped_lock lock(mutex_);
    for (std::uint32_t index = 1; index < next_; ++index) {
      Slot* chunk = chunks_[index / chunk_size].load(std::memory_order_acquire);
      if (chunk == nullptr) {
        continue;
      }
      Slot& slot = chunk[index % chunk_size];
      const std::uint32_t value = slot.value.load(std::memory_order_acquire);
      if (value != 0 && (value & ~(base() | max_index)) != 0) {
        slot.value.store(0, std::memory_order_release);
        free_.push_back(index);
        objects.push_back(std::exchange(slot.object, nullptr));
      }
    }
    return objects;
  }

  /// Returns the handle of an object, or the null handle if the object is no longer in the table.
  [[nodiscard]] std::uint32_t handle_of(const Object* object) const {
    const std::scoped_lock lock(mutex_);
    for (std::uint32_t index = 1; index < next_; ++index) {
      const Slot* chunk = chunks_[index / chunk_size].load(std::memory_order_acquire);
      if (object != nullptr && chunk != nullptr && chunk[index % chunk_size].object.get() == object) {
        return chunk[index % chunk_size].value.load(std::memory_order_acquire);
      }
    }
    return base();
  }

  /// Returns shared pointers to the objects for which \p wanted is true. It does not hold the others even temporarily:
  /// an object whose last owner is another thread must not be destroyed in this thread.
  template <typename Wanted>
  [[nodiscard]] std::vector<std::shared_ptr<Object>> all(Wanted wanted) const {
    std::vector<std::shared_ptr<Object>> objects;
    const std::scoped_lock lock(mutex_);
    for (std::uint32_t index = 1; index < next_; ++index) {
      const Slot* chunk = chunks_[index / chunk_size].load(std::memory_order_acquire);
      if (chunk != nullptr && chunk[index % chunk_size].object != nullptr &&
          wanted(*chunk[index % chunk_size].object)) {
        objects.push_back(chunk[index % chunk_size].object);
      }
    }
    return objects;
  }
  [[nodiscard]] std::vector<std::shared_ptr<Object>> all() const {
    return all([](const Object&) { return true; });
  }

  [[noreturn]] void throw_bad(std::uintptr_t handle, const char* argument) const {
    if (handle == base()) {
      throw Error(Code::handle, text(argument, " is the null ", type_name_, "; create one first"));
    }
    throw Error(Code::handle, text(argument, " (", handle, ") is not a valid ", type_name_,
                                   ": it was freed, was never created, or is of another type"));
  }

 private:
  struct Slot {
    std::atomic<std::uint32_t> value{0};  ///< the whole handle; 0: free
    std::uint32_t generation = 0;
    std::shared_ptr<Object> object;
  };
  static constexpr std::uint32_t max_index = 0xffff;
  static constexpr std::uint32_t chunk_size = 256;
  static constexpr std::uint32_t max_generation = 0x7ff;
  static constexpr std::size_t minimum_free = 64;

  [[nodiscard]] std::uint32_t base() const noexcept { return static_cast<std::uint32_t>(kind_) << 27U; }

  Slot& slot_at(std::uint32_t index) {
    auto& chunk = chunks_[index / chunk_size];
    if (chunk.load(std::memory_order_acquire) == nullptr) {
      storage_.push_back(std::make_unique<std::array<Slot, chunk_size>>());
      chunk.store(storage_.back()->data(), std::memory_order_release);
    }
    return chunk.load(std::memory_order_acquire)[index % chunk_size];
  }

  std::uint32_t place(std::uint32_t index, std::shared_ptr<Object> object) {
    Slot& slot = slot_at(index);
    slot.generation = slot.generation % max_generation + 1;
    slot.object = std::move(object);
    const std::uint32_t value = base() | (slot.generation << 16U) | index;
    slot.value.store(value, std::memory_order_release);
    return value;
  }

  HandleKind kind_;
  const char* type_name_;
  mutable std::mutex mutex_;
  std::uint32_t next_;
  std::deque<std::uint32_t> free_;
  std::array<std::atomic<Slot*>, (max_index + 1) / chunk_size> chunks_{};
  std::vector<std::unique_ptr<std::array<Slot, chunk_size>>> storage_;
};

/// A handle's bits as the opaque pointer of the C interface.
template <typename Handle>
Handle to_handle(std::uint32_t value) noexcept {
  return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(value));
}

}  // namespace adcl::capi
