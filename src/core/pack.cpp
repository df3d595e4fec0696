#include "core/pack.hpp"

#include <algorithm>
#include <cstring>

namespace adcl {
namespace {

// Copies one run. With a length known at compile time, the copy is a few loads and stores instead of a call of memcpy,
// which takes longer than the copy itself up to about 128 bytes.

template <std::size_t Bytes>
void move_exactly(std::byte* target, const std::byte* source, std::size_t /*bytes*/) {
  std::memcpy(target, source, Bytes);
}

/// Copies Half to 2 * Half bytes: the first and the last Half bytes, which may overlap.
template <std::size_t Half>
void move_halves(std::byte* target, const std::byte* source, std::size_t bytes) {
  std::memcpy(target, source, Half);
  std::memcpy(target + bytes - Half, source + bytes - Half, Half);
}

void move_bytes(std::byte* target, const std::byte* source, std::size_t bytes) { std::memcpy(target, source, bytes); }

/// The two innermost loops. Copying single elements at full memory speed requires four independent runs in a row (half
/// the time of a plain loop for data in the L1 cache). Prefetching gave no speedup at any stride.
template <auto move>
void move_rows(const Walk::Level* levels, int from, const std::byte* outer_source, std::byte* outer_target,
               std::size_t bytes) {
  const int to = 1 - from;
  const std::int64_t count = levels[1].count;
  const std::int64_t read_stride = levels[1].stride[from];
  const std::int64_t write_stride = levels[1].stride[to];
  for (std::int64_t i = 0; i < levels[0].count; ++i) {
    const std::byte* source = outer_source + i * levels[0].stride[from];
    std::byte* target = outer_target + i * levels[0].stride[to];
    std::int64_t row = 0;
    for (; row + 4 <= count; row += 4) {
      move(target, source, bytes);
      move(target + write_stride, source + read_stride, bytes);
      move(target + 2 * write_stride, source + 2 * read_stride, bytes);
      move(target + 3 * write_stride, source + 3 * read_stride, bytes);
      source += 4 * read_stride;
      target += 4 * write_stride;
    }
    for (; row < count; ++row) {
      move(target, source, bytes);
      source += read_stride;
      target += write_stride;
    }
  }
}

constexpr auto mover_of(std::int64_t bytes) {
  switch (bytes) {
    case 1:
      return move_rows<move_exactly<1>>;
    case 4:
      return move_rows<move_exactly<4>>;
    case 8:
      return move_rows<move_exactly<8>>;
    case 16:
      return move_rows<move_exactly<16>>;
    default:
      return bytes <= 4     ? move_rows<move_halves<2>>
             : bytes <= 8   ? move_rows<move_halves<4>>
             : bytes <= 16  ? move_rows<move_halves<8>>
             : bytes <= 32  ? move_rows<move_halves<16>>
             : bytes <= 64  ? move_rows<move_halves<32>>
             : bytes <= 128 ? move_rows<move_halves<64>>
                            : move_rows<move_bytes>;
  }
}

/// Runs of a region in the order of the packed data, adjacent runs joined.
struct Run {
  std::int64_t offset;
  std::int64_t bytes;
};

std::vector<Run> runs_of_list(const Region& region, std::int64_t element_bytes) {
  std::vector<Run> runs;
  for (const int point : region.points) {
    const std::int64_t offset = point * element_bytes;
    if (!runs.empty() && runs.back().offset + runs.back().bytes == offset) {
      runs.back().bytes += element_bytes;
    } else {
      runs.push_back({offset, element_bytes});
    }
  }
  return runs;
}

std::vector<Run> runs_of_box(const Region& region, const Grid& grid, std::int64_t element_bytes) {
  const Loops loops = loops_of(region, grid, element_bytes);
  if (loops.run_bytes == 0) {
    return {};
  }
  std::vector<Run> runs = {{loops.offset_bytes, loops.run_bytes}};
  for (const Loops::Level& level : loops.levels) {
    std::vector<Run> finer;
    for (const Run& run : runs) {
      for (std::int64_t i = 0; i < level.count; ++i) {
        finer.push_back({run.offset + i * level.stride_bytes, run.bytes});
      }
    }
    runs = std::move(finer);
  }
  return runs;
}

std::vector<Run> runs_of(const Region& region, const Grid& grid, std::int64_t element_bytes) {
  return region.indexed ? runs_of_list(region, element_bytes) : runs_of_box(region, grid, element_bytes);
}

/// Pairs the runs of the two sides; where they end at different points, cuts the longer run.
std::vector<Walk::Run> paired(const std::vector<Run>& one, const std::vector<Run>& other) {
  std::vector<Walk::Run> pairs;
  std::size_t a = 0;
  std::size_t b = 0;
  std::int64_t done_a = 0;
  std::int64_t done_b = 0;
  while (a < one.size() && b < other.size()) {
    const std::int64_t bytes = std::min(one[a].bytes - done_a, other[b].bytes - done_b);
    pairs.push_back({{one[a].offset + done_a, other[b].offset + done_b}, bytes});
    done_a += bytes;
    done_b += bytes;
    if (done_a == one[a].bytes) {
      ++a;
      done_a = 0;
    }
    if (done_b == other[b].bytes) {
      ++b;
      done_b = 0;
    }
  }
  return pairs;
}

/// Dimensions of a box that are more than one point wide, innermost first, with their strides in bytes.
std::vector<Loops::Level> dimensions_of(const Region& region, const Grid& grid, std::int64_t element_bytes) {
  const auto strides = grid.strides();
  std::vector<Loops::Level> dimensions;
  for (std::size_t i = 0; i < grid.dims.size(); ++i) {
    const std::size_t d = grid.fortran_order ? i : grid.dims.size() - 1 - i;
    if (region.extent[d] != 1) {
      dimensions.push_back({region.extent[d], strides[d] * element_bytes});
    }
  }
  return dimensions;
}

/// Loops over both boxes; dimensions that are contiguous on both sides are joined.
Walk walk_of_boxes(std::int64_t offset0, std::int64_t offset1, const std::vector<Loops::Level>& one,
                   const std::vector<Loops::Level>& other, std::int64_t element_bytes) {
  std::int64_t run_bytes = element_bytes;
  std::vector<Walk::Level> levels;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const Walk::Level level = {one[i].count, {one[i].stride_bytes, other[i].stride_bytes}};
    const auto continues = [&level](std::int64_t end0, std::int64_t end1) {
      return level.stride[0] == end0 && level.stride[1] == end1;
    };
    if (levels.empty() && continues(run_bytes, run_bytes)) {
      run_bytes *= level.count;
    } else if (!levels.empty() && continues(levels.back().count * levels.back().stride[0],
                                            levels.back().count * levels.back().stride[1])) {
      levels.back().count *= level.count;
    } else {
      levels.push_back(level);
    }
  }
  std::reverse(levels.begin(), levels.end());
  return {offset0, offset1, run_bytes, std::move(levels)};
}

/// A walk from \p from (place 0) to \p to (place 1), which has the same number of points.
Walk walk_between(const Region& from, const Grid& from_grid, const Region& to, const Grid& to_grid,
                  std::int64_t element_bytes) {
  if (from.count() == 0) {
    return {};
  }
  if (!from.indexed && !to.indexed) {
    const auto one = dimensions_of(from, from_grid, element_bytes);
    const auto other = dimensions_of(to, to_grid, element_bytes);
    if (std::ranges::equal(one, other, {}, &Loops::Level::count, &Loops::Level::count)) {
      return walk_of_boxes(loops_of(from, from_grid, element_bytes).offset_bytes,
                           loops_of(to, to_grid, element_bytes).offset_bytes, one, other, element_bytes);
    }
  }
  return Walk(paired(runs_of(from, from_grid, element_bytes), runs_of(to, to_grid, element_bytes)));
}

}  // namespace

Walk::Walk(std::int64_t offset0, std::int64_t offset1, std::int64_t run_bytes, std::vector<Level> levels)
    : offset_{offset0, offset1}, run_bytes_(static_cast<std::size_t>(run_bytes)), levels_(std::move(levels)) {
  if (levels_.empty()) {
    runs_.push_back({{offset0, offset1}, run_bytes});
    return;
  }
  mover_ = mover_of(run_bytes);
  if (levels_.size() == 1) {
    levels_.insert(levels_.begin(), Level{1, {0, 0}});
  }
}

void Walk::copy(int from, const void* source, void* target) const {
  const auto* const begin = static_cast<const std::byte*>(source);
  auto* const end = static_cast<std::byte*>(target);
  const int to = 1 - from;
  if (mover_ != nullptr) {
    return copy_levels(0, from, begin + offset_[from], end + offset_[to]);
  }
  for (const Run& run : runs_) {
    std::memcpy(end + run.offset[to], begin + run.offset[from], static_cast<std::size_t>(run.bytes));
  }
}

void Walk::copy_levels(std::size_t depth, int from, const std::byte* source, std::byte* target) const {
  if (depth + 2 == levels_.size()) {
    return mover_(&levels_[depth], from, source, target, run_bytes_);
  }
  const Level& level = levels_[depth];
  for (std::int64_t i = 0; i < level.count; ++i) {
    copy_levels(depth + 1, from, source + i * level.stride[from], target + i * level.stride[1 - from]);
  }
}

Packer::Packer(const Region& region, const Grid& grid, std::int64_t element_bytes)
    : bytes_(region.count() * element_bytes) {
  Region packed{std::vector<int>(region.extent.size(), 0), region.extent, {}, false};
  if (region.indexed) {
    packed = {{0}, {static_cast<int>(region.points.size())}, {}, false};
  }
  walk_ = walk_between(region, grid, packed, {packed.extent, grid.fortran_order}, element_bytes);
}

RegionCopy::RegionCopy(const Region& from, const Grid& from_grid, const Region& to, const Grid& to_grid,
                       std::int64_t element_bytes)
    : walk_(walk_between(from, from_grid, to, to_grid, element_bytes)), bytes_(from.count() * element_bytes) {}

}  // namespace adcl
