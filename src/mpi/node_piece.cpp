#include "mpi/node_piece.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace adcl::mpi {
namespace {

constexpr std::size_t line = 64;
constexpr std::size_t common_bytes = 262144 - NodeMapping::head_bytes;
constexpr std::size_t largest_piece = common_bytes / 2;
constexpr std::size_t most_mapped = 32;  ///< number of unused memories that stay mapped

/// Counter in the cache line before a piece: number of users that have not left the piece. It may be negative, because
/// users may leave before they are counted.
std::atomic_ref<std::int64_t> users_of(std::byte* piece) noexcept {
  return std::atomic_ref(*reinterpret_cast<std::int64_t*>(piece - line));
}

/// A memory that contains pieces, one after the other from the beginning.
class Common {
 public:
  Common() : memory_(std::make_shared<NodeMemory>(common_bytes, NodeMemoryKind::anonymous, NodeMemoryUse::pieces)) {}

  [[nodiscard]] const std::shared_ptr<NodeMemory>& memory() const noexcept { return memory_; }
  /// Whether the memory contains no piece.
  [[nodiscard]] bool unused() const noexcept {
    return std::none_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.state == State::used; });
  }

  /// Allocates a piece of \p bytes bytes, including the cache line before it, and counts it as held. Returns its
  /// offset; 0 if there is no room. Throws Error(memory).
  std::size_t take(std::size_t bytes) {
    collect();
    const auto room = std::find_if(parts_.begin(), parts_.end(), [bytes](const Part& part) {
      return part.state == State::free && part.bytes >= bytes;
    });
    if (room != parts_.end()) {
      std::memset(memory_->data() + room->begin, 0, bytes);
      const Part rest{room->begin + bytes, room->bytes - bytes, State::free};
      *room = {room->begin, bytes, State::used};
      const std::size_t begin = room->begin;
      if (rest.bytes > 0) {
        parts_.insert(std::next(room), rest);
      }
      NodeMemory::hold(bytes);
      return begin + line;
    }
    const std::size_t end = parts_.empty() ? 0 : parts_.back().begin + parts_.back().bytes;
    if (end + bytes > common_bytes) {
      return 0;
    }
    memory_->reserve(end + bytes);
    parts_.push_back({end, bytes, State::used});
    NodeMemory::hold(bytes);
    return end + line;
  }

  /// Releases the piece at \p offset.
  void give_back(std::size_t offset) noexcept {
    const auto part =
        std::find_if(parts_.begin(), parts_.end(), [offset](const Part& p) { return p.begin + line == offset; });
    part->state = State::left;
    NodeMemory::release(part->bytes);
  }

 private:
  enum class State { used, left, free };
  struct Part {
    std::size_t begin = 0;
    std::size_t bytes = 0;
    State state = State::free;
  };

  /// Frees the parts that all users have left, and merges adjacent free parts.
  void collect() {
    std::vector<Part> collected;
    for (Part& part : parts_) {
      if (part.state == State::left &&
          users_of(memory_->data() + part.begin + line).load(std::memory_order_acquire) == 0) {
        part.state = State::free;
      }
      if (part.state == State::free && !collected.empty() && collected.back().state == State::free) {
        collected.back().bytes += part.bytes;
      } else {
        collected.push_back(part);
      }
    }
    parts_ = std::move(collected);
  }

  std::shared_ptr<NodeMemory> memory_;
  std::vector<Part> parts_;  ///< without gaps
};

/// Never destroyed, because requests may outlive static objects.
struct Memories {
  std::mutex mutex;
  int keepers = 0;
  std::vector<Common> commons;
  std::map<std::array<std::uint64_t, 2>, std::weak_ptr<const NodeMapping>> mapped;
  std::deque<std::shared_ptr<const NodeMapping>> recent;  ///< recently used memories of pieces
};

Memories& memories() {
  static auto* const all = new Memories;
  return *all;
}

}  // namespace

NodePiece::NodePiece(std::size_t bytes, NodeMemoryKind kind) {
  const std::size_t rounded = (bytes + line - 1) / line * line + line;
  if (kind == NodeMemoryKind::named || rounded > largest_piece) {
    memory_ = std::make_shared<NodeMemory>(bytes, kind);
    return;
  }
  const std::scoped_lock lock(memories().mutex);
  auto& commons = memories().commons;
  for (std::size_t i = 0; offset_ == 0; ++i) {
    Common& common = i < commons.size() ? commons[i] : commons.emplace_back();
    offset_ = common.take(rounded);
    memory_ = common.memory();
  }
}

NodePiece& NodePiece::operator=(NodePiece&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(offset_, other.offset_);
  return *this;
}

NodePiece::~NodePiece() {
  if (memory_ == nullptr || offset_ == 0) {
    return;
  }
  const std::scoped_lock lock(memories().mutex);
  auto& commons = memories().commons;
  const auto is_its_own = [this](const Common& common) { return common.memory() == memory_; };
  const auto own = std::find_if(commons.begin(), commons.end(), is_its_own);
  own->give_back(offset_);
  const auto unused = std::count_if(commons.begin(), commons.end(), [](const Common& c) { return c.unused(); });
  if (own->unused() && (unused > 1 || memories().keepers == 0)) {
    commons.erase(own);
  }
}

void NodePiece::close(int users) noexcept {
  if (memory_ != nullptr && offset_ > 0) {
    users_of(data()).fetch_add(users, std::memory_order_acq_rel);
  } else if (memory_ != nullptr) {
    memory_->close();
  }
}

void NodePiece::leave(const NodeMapping& memory, std::size_t offset) noexcept {
  if (offset > 0) {
    users_of(memory.data() + offset).fetch_sub(1, std::memory_order_acq_rel);
  }
}

KeptPieces::KeptPieces() noexcept {
  const std::scoped_lock lock(memories().mutex);
  ++memories().keepers;
}

KeptPieces::~KeptPieces() {
  const std::scoped_lock lock(memories().mutex);
  if (--memories().keepers == 0) {
    std::erase_if(memories().commons, [](const Common& common) { return common.unused(); });
    memories().recent.clear();
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
  const bool of_pieces = handle.bytes == common_bytes + NodeMapping::head_bytes;
  if (of_pieces && access == NodeMapping::Access::write && memories().keepers > 0) {
    auto& recent = memories().recent;
    recent.push_back(mapping);
    if (recent.size() > most_mapped) {
      recent.pop_front();
    }
  }
  return mapping;
}

}  // namespace adcl::mpi
