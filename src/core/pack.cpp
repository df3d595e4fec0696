#include "core/pack.hpp"

#include <cstring>

namespace adcl {
namespace {

/// Moves `rows` runs of Bytes bytes (or `bytes` when Bytes is 0); a constant length lets the compiler use one load and
/// store instead of a call to memcpy.
template <bool Packing, std::size_t Bytes>
void move_rows(std::byte* array, std::byte*& buffer, const Loops::Level& level, std::int64_t bytes) {
  const std::size_t length = Bytes != 0 ? Bytes : static_cast<std::size_t>(bytes);
  std::byte* position = buffer;
  for (std::int64_t row = 0; row < level.count; ++row) {
    if constexpr (Packing) {
      std::memcpy(position, array, Bytes != 0 ? Bytes : length);
    } else {
      std::memcpy(array, position, Bytes != 0 ? Bytes : length);
    }
    array += level.stride_bytes;
    position += length;
  }
  buffer = position;
}

template <bool Packing>
void move_innermost(std::byte* array, std::byte*& buffer, const Loops::Level& level, std::int64_t bytes) {
  switch (bytes) {
    case 4:
      return move_rows<Packing, 4>(array, buffer, level, bytes);
    case 8:
      return move_rows<Packing, 8>(array, buffer, level, bytes);
    case 16:
      return move_rows<Packing, 16>(array, buffer, level, bytes);
    case 24:
      return move_rows<Packing, 24>(array, buffer, level, bytes);
    case 32:
      return move_rows<Packing, 32>(array, buffer, level, bytes);
    default:
      return move_rows<Packing, 0>(array, buffer, level, bytes);
  }
}

template <bool Packing>
void move_levels(std::byte* array, std::byte*& buffer, const Loops& loops, std::size_t depth) {
  if (depth + 1 == loops.levels.size()) {
    return move_innermost<Packing>(array, buffer, loops.levels[depth], loops.run_bytes);
  }
  const auto& level = loops.levels[depth];
  for (std::int64_t i = 0; i < level.count; ++i) {
    move_levels<Packing>(array + i * level.stride_bytes, buffer, loops, depth + 1);
  }
}

template <bool Packing>
void move_loops(std::byte* array, std::byte* buffer, const Loops& loops) {
  array += loops.offset_bytes;
  if (loops.levels.empty()) {
    move_rows<Packing, 0>(array, buffer, {1, 0}, loops.run_bytes);
  } else {
    move_levels<Packing>(array, buffer, loops, 0);
  }
}

}  // namespace

Packer::Packer(const Region& region, const Grid& grid, std::int64_t element_bytes)
    : bytes_(region.count() * element_bytes), indexed_(region.indexed) {
  if (!indexed_) {
    loops_ = loops_of(region, grid, element_bytes);
    contiguous_ = loops_.levels.empty();
    offset_bytes_ = loops_.offset_bytes;
    return;
  }
  for (const int point : region.points) {
    const std::int64_t offset = point * element_bytes;
    if (!runs_.empty() && runs_.back().offset_bytes + runs_.back().bytes == offset) {
      runs_.back().bytes += element_bytes;
    } else {
      runs_.push_back({offset, element_bytes});
    }
  }
  contiguous_ = runs_.size() <= 1;
  offset_bytes_ = runs_.empty() ? 0 : runs_.front().offset_bytes;
}

void Packer::pack(const void* array, void* buffer) const {
  auto* target = static_cast<std::byte*>(buffer);
  if (!indexed_) {
    // The shared template writes to `array` only when unpacking.
    return move_loops<true>(const_cast<std::byte*>(static_cast<const std::byte*>(array)), target, loops_);
  }
  for (const Run& run : runs_) {
    std::memcpy(target, static_cast<const std::byte*>(array) + run.offset_bytes, static_cast<std::size_t>(run.bytes));
    target += run.bytes;
  }
}

void Packer::unpack(const void* buffer, void* array) const {
  const auto* source = static_cast<const std::byte*>(buffer);
  if (!indexed_) {
    return move_loops<false>(static_cast<std::byte*>(array), const_cast<std::byte*>(source), loops_);
  }
  for (const Run& run : runs_) {
    std::memcpy(static_cast<std::byte*>(array) + run.offset_bytes, source, static_cast<std::size_t>(run.bytes));
    source += run.bytes;
  }
}

}  // namespace adcl
