/// \file pack.hpp
/// Copies regions of densely stored elements to and from contiguous buffers, or to regions of other arrays. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/region.hpp"

namespace adcl {

/// A copy between two places in memory: nested loops over runs of bytes, or a list of runs. Offsets and strides are in
/// bytes; the first refers to place 0, the second to place 1.
class Walk {
 public:
  struct Level {
    std::int64_t count;
    std::int64_t stride[2];
  };
  struct Run {
    std::int64_t offset[2];
    std::int64_t bytes;
  };
  /// A walk that copies nothing.
  Walk() = default;
  /// Loops over \p levels, outermost first, of runs of \p run_bytes bytes that start at \p offset0 and \p offset1.
  Walk(std::int64_t offset0, std::int64_t offset1, std::int64_t run_bytes, std::vector<Level> levels);
  explicit Walk(std::vector<Run> runs) : runs_(std::move(runs)) {}

  /// Copies from \p source, which is place \p from (0 or 1), to \p target, the other place. They must not overlap.
  void copy(int from, const void* source, void* target) const;

  /// True when the walk copies at most one run.
  [[nodiscard]] bool contiguous() const noexcept { return mover_ == nullptr && runs_.size() <= 1; }
  /// Offset of the first run in place 0; 0 if there is none.
  [[nodiscard]] std::int64_t first_offset() const noexcept { return runs_.empty() ? offset_[0] : runs_[0].offset[0]; }

 private:
  using Mover = void (*)(const Level* levels, int from, const std::byte* source, std::byte* target, std::size_t bytes);
  void copy_levels(std::size_t depth, int from, const std::byte* source, std::byte* target) const;

  Mover mover_ = nullptr;  ///< copies the two innermost loops; null: there are no loops
  std::int64_t offset_[2] = {0, 0};
  std::size_t run_bytes_ = 0;
  std::vector<Level> levels_;  ///< empty, or at least two
  std::vector<Run> runs_;
};

/// A region prepared for packing. Everything is computed by the constructor; pack and unpack only move bytes.
class Packer {
 public:
  Packer() = default;
  Packer(const Region& region, const Grid& grid, std::int64_t element_bytes);

  /// Bytes of the packed form.
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }
  /// True when the region is one contiguous run, which can be sent without packing.
  [[nodiscard]] bool contiguous() const noexcept { return walk_.contiguous(); }
  /// Offset of the region from the first element of the array.
  [[nodiscard]] std::int64_t offset_bytes() const noexcept { return walk_.first_offset(); }

  void pack(const void* array, void* buffer) const { walk_.copy(0, array, buffer); }
  void unpack(const void* buffer, void* array) const { walk_.copy(1, buffer, array); }

 private:
  Walk walk_;  ///< between the array and the buffer
  std::int64_t bytes_ = 0;
};

/// Copies a region of one array directly to a region of another (or of the same array, if they do not overlap), without
/// an intermediate buffer. The result is the same as packing the first region and unpacking to the second.
class RegionCopy {
 public:
  RegionCopy() = default;
  /// Both regions must have the same number of points.
  RegionCopy(const Region& from, const Grid& from_grid, const Region& to, const Grid& to_grid,
             std::int64_t element_bytes);

  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }
  /// \p source and \p target are the addresses of the first elements of the arrays.
  void copy(const void* source, void* target) const { walk_.copy(0, source, target); }

 private:
  Walk walk_;
  std::int64_t bytes_ = 0;
};

}  // namespace adcl
