/// \file pack.hpp
/// Copies regions of densely stored elements to and from contiguous buffers. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/region.hpp"

namespace adcl {

/// A region prepared for packing. Everything is computed by the constructor; pack, unpack and copy only move bytes.
class Packer {
 public:
  Packer() = default;
  Packer(const Region& region, const Grid& grid, std::int64_t element_bytes);

  /// Bytes of the packed form.
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }
  /// True when the region is one contiguous run: it can be sent from where it is.
  [[nodiscard]] bool contiguous() const noexcept { return contiguous_; }
  /// Where the region begins, relative to the first element of the array.
  [[nodiscard]] std::int64_t offset_bytes() const noexcept { return offset_bytes_; }

  void pack(const void* array, void* buffer) const;
  void unpack(const void* buffer, void* array) const;

 private:
  struct Run {
    std::int64_t offset_bytes;
    std::int64_t bytes;
  };
  Loops loops_;
  std::vector<Run> runs_;  ///< of an indexed region, neighbouring points joined
  std::int64_t bytes_ = 0;
  std::int64_t offset_bytes_ = 0;
  bool indexed_ = false;
  bool contiguous_ = true;
};

}  // namespace adcl
