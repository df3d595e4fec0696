#include "mpi/node_piece.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace adcl::mpi {
namespace {

constexpr std::size_t line = 64;
constexpr std::size_t common_bytes = 32768 - NodeMapping::head_bytes;
constexpr std::size_t largest_piece = common_bytes / 4;

/// Never destroyed: requests may end after static objects.
struct Memories {
  std::mutex mutex;
  std::weak_ptr<NodeMemory> common;  ///< that the next pieces come from
  std::size_t used = 0;              ///< of it
  std::map<std::array<std::uint64_t, 2>, std::weak_ptr<const NodeMapping>> mapped;
};

Memories& memories() {
  static auto* const all = new Memories;
  return *all;
}

}  // namespace

NodePiece::NodePiece(std::size_t bytes, NodeMemoryKind kind) {
  const std::size_t rounded = (bytes + line - 1) / line * line;
  if (kind == NodeMemoryKind::named || rounded > largest_piece) {
    memory_ = std::make_shared<NodeMemory>(bytes, kind);
    return;
  }
  const std::scoped_lock lock(memories().mutex);
  // No part is used twice, since it must be zero at first; the memory goes when its last piece does.
  memory_ = memories().common.lock();
  if (memory_ == nullptr || memories().used + rounded > common_bytes) {
    memory_ = std::make_shared<NodeMemory>(common_bytes, kind, NodeMemoryUse::pieces);
    memories().common = memory_;
    memories().used = 0;
  }
  offset_ = memories().used;
  memories().used += rounded;
  counted_ = rounded;
  NodeMemory::hold(counted_);
}

NodePiece::NodePiece(NodePiece&& other) noexcept
    : memory_(std::move(other.memory_)),
      offset_(std::exchange(other.offset_, 0)),
      counted_(std::exchange(other.counted_, 0)) {}

NodePiece& NodePiece::operator=(NodePiece&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(offset_, other.offset_);
  std::swap(counted_, other.counted_);
  return *this;
}

NodePiece::~NodePiece() { NodeMemory::release(counted_); }

void NodePiece::close() noexcept {
  if (memory_ != nullptr && counted_ == 0) {
    memory_->close();
  }
}

std::shared_ptr<const NodeMapping> map_memory(const NodeMemoryHandle& handle, NodeMapping::Access access) {
  const std::scoped_lock lock(memories().mutex);
  auto& mapped = memories().mapped;
  std::erase_if(mapped, [](const auto& entry) { return entry.second.expired(); });
  if (auto known = mapped[handle.key].lock()) {
    return known;
  }
  auto mapping = std::make_shared<const NodeMapping>(handle, access);
  mapped[handle.key] = mapping;
  return mapping;
}

}  // namespace adcl::mpi
