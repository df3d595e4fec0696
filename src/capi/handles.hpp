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

#include "core/error.hpp"

namespace adcl::capi {

/// Objects of one kind, and their handles. A lookup takes no lock and changes no reference count, because every start
/// does a lookup.
template <typename Object, typename Handle>
class HandleTable {
 public:
  /// The bits of \p null distinguish the handles of this table from those of other tables.
  HandleTable(Handle null, const char* type_name, std::uint32_t reserved = 0)
      : base_(static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(null))),
        type_name_(type_name),
        next_(1 + reserved) {}

  /// Throws Error(memory) when all 65535 handles are in use.
  Handle insert(std::shared_ptr<Object> object) {
    const std::scoped_lock lock(mutex_);
    std::uint32_t index = 0;
    // First in, first out: a freed handle's index is reused as late as possible, so that stale handles are detected.
    if (free_.size() > minimum_free || next_ > max_index) {
      require(!free_.empty(), Code::memory, "there are already ", max_index, " objects of type ", type_name_,
              "; free unneeded objects first");
      index = free_.front();
      free_.pop_front();
    } else {
      index = next_++;
    }
    Slot& slot = new_slot(index);
    slot.generation = slot.generation % max_generation + 1;
    slot.object = std::move(object);
    const std::uint32_t value = base_ | (slot.generation << 16U) | index;
    slot.value.store(value, std::memory_order_release);
    return handle(value);
  }

  /// Puts a predefined object at one of the reserved indices; its handle never changes.
  void insert_reserved(std::uint32_t index, std::shared_ptr<Object> object) {
    const std::scoped_lock lock(mutex_);
    Slot& slot = new_slot(index);
    slot.object = std::move(object);
    slot.value.store(base_ | index, std::memory_order_release);
  }

  /// Returns the object, or nullptr if the handle does not belong to this table.
  [[nodiscard]] Object* find(Handle handle) const noexcept {
    const Slot* slot = slot_of(handle);
    return slot != nullptr ? slot->object.get() : nullptr;
  }

  /// Returns a shared pointer to the object. Throws Error(handle) with the name \p argument.
  [[nodiscard]] std::shared_ptr<Object> get(Handle handle, const char* argument) const {
    const Slot* slot = slot_of(handle);
    if (slot == nullptr) {
      throw_bad(handle, argument);
    }
    return slot->object;
  }

  /// Like get(), but returns null for the null handle.
  [[nodiscard]] std::shared_ptr<Object> get_optional(Handle handle, const char* argument) const {
    return handle == null() ? nullptr : get(handle, argument);
  }

  /// Removes the object and invalidates its handle. Predefined objects cannot be removed.
  std::shared_ptr<Object> remove(Handle handle, const char* argument) {
    Slot* slot = slot_of(handle);
    if (slot == nullptr) {
      throw_bad(handle, argument);
    }
    require(slot->generation > 0, Code::handle, argument, " is a predefined ", type_name_, " and cannot be freed");
    const std::scoped_lock lock(mutex_);
    return release(*slot);
  }

  /// Removes all objects except predefined objects, and returns them in the order of their handles' indices.
  std::vector<std::shared_ptr<Object>> remove_all() {
    std::vector<std::shared_ptr<Object>> objects;
    const std::scoped_lock lock(mutex_);
    each_slot([&](Slot& slot) {
      if (slot.generation > 0 && slot.value.load(std::memory_order_acquire) != 0) {
        objects.push_back(release(slot));
      }
    });
    return objects;
  }

  /// Returns the handle of an object, or the null handle if the object is no longer in the table.
  [[nodiscard]] Handle handle_of(const Object* object) const {
    std::uint32_t value = base_;
    const std::scoped_lock lock(mutex_);
    each_slot([&](const Slot& slot) {
      if (object != nullptr && slot.object.get() == object) {
        value = slot.value.load(std::memory_order_acquire);
      }
    });
    return handle(value);
  }

  /// Returns shared pointers to the objects for which \p wanted is true. Does not own the other objects even
  /// temporarily: an object whose last owner is another thread must not be destroyed in this thread.
  template <typename Wanted>
  [[nodiscard]] std::vector<std::shared_ptr<Object>> all(Wanted wanted) const {
    std::vector<std::shared_ptr<Object>> objects;
    const std::scoped_lock lock(mutex_);
    each_slot([&](const Slot& slot) {
      if (slot.object != nullptr && wanted(*slot.object)) {
        objects.push_back(slot.object);
      }
    });
    return objects;
  }
  [[nodiscard]] std::vector<std::shared_ptr<Object>> all() const {
    return all([](const Object&) { return true; });
  }

  [[nodiscard]] Handle null() const noexcept { return handle(base_); }

  [[noreturn]] void throw_bad(Handle handle, const char* argument) const {
    require(handle != null(), Code::handle, argument, " is the null ", type_name_, "; create one first");
    throw Error(Code::handle, text(argument, " (", reinterpret_cast<std::uintptr_t>(handle), ") is not a valid ",
                                   type_name_, ": it was freed, was never created, or is of another type"));
  }

 private:
  struct Slot {
    std::atomic<std::uint32_t> value{0};  ///< the whole handle; 0: free
    std::uint32_t generation = 0;         ///< 0: never used, or of a predefined object
    std::shared_ptr<Object> object;
  };
  static constexpr std::uint32_t max_index = 0xffff;
  static constexpr std::uint32_t chunk_size = 256;
  static constexpr std::uint32_t max_generation = 0x7ff;
  static constexpr std::size_t minimum_free = 64;

  static Handle handle(std::uint32_t value) noexcept {
    return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(value));
  }

  /// Returns the slot of a valid handle, or nullptr.
  [[nodiscard]] Slot* slot_of(Handle handle) const noexcept {
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    const std::uint32_t index = static_cast<std::uint32_t>(value) & max_index;
    Slot* chunk = chunks_[index / chunk_size].load(std::memory_order_acquire);
    if (chunk == nullptr || index == 0) {
      return nullptr;
    }
    Slot& slot = chunk[index % chunk_size];
    return slot.value.load(std::memory_order_acquire) == value ? &slot : nullptr;
  }

  // The functions below require the mutex.

  /// Returns the slot of \p index; allocates it if necessary.
  Slot& new_slot(std::uint32_t index) {
    auto& chunk = chunks_[index / chunk_size];
    if (chunk.load(std::memory_order_acquire) == nullptr) {
      storage_.push_back(std::make_unique<std::array<Slot, chunk_size>>());
      chunk.store(storage_.back()->data(), std::memory_order_release);
    }
    return chunk.load(std::memory_order_acquire)[index % chunk_size];
  }

  template <typename Visit>
  void each_slot(const Visit& visit) const {
    for (std::uint32_t index = 1; index < next_; ++index) {
      if (Slot* chunk = chunks_[index / chunk_size].load(std::memory_order_acquire); chunk != nullptr) {
        visit(chunk[index % chunk_size]);
      }
    }
  }

  std::shared_ptr<Object> release(Slot& slot) {
    free_.push_back(slot.value.exchange(0, std::memory_order_acq_rel) & max_index);
    return std::exchange(slot.object, nullptr);
  }

  std::uint32_t base_;  ///< the null handle
  const char* type_name_;
  mutable std::mutex mutex_;
  std::uint32_t next_;
  std::deque<std::uint32_t> free_;
  std::array<std::atomic<Slot*>, (max_index + 1) / chunk_size> chunks_{};
  std::vector<std::unique_ptr<std::array<Slot, chunk_size>>> storage_;
};

}  // namespace adcl::capi
