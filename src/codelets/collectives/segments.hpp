/// \file segments.hpp
/// Divides a run of entries into pieces. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "codelets/collectives/collective_problem.hpp"

namespace adcl::codelets {

/// Pieces of about \p bytes each; 0: one piece.
inline std::vector<Piece> segments_of(const Piece& all, std::int64_t bytes) {
  const std::int64_t entry = all.type != nullptr ? std::max<std::int64_t>(all.type->size_bytes(), 1) : 1;
  const std::int64_t most = bytes > 0 ? std::max<std::int64_t>(bytes / entry, 1) : std::max<std::int64_t>(all.count, 1);
  std::vector<Piece> pieces;
  for (std::int64_t first = 0; first < all.count; first += most) {
    pieces.push_back(all.part(first, std::min(most, all.count - first)));
  }
  return pieces;
}

/// First entry of part \p i if \p entries entries are divided into \p parts parts of nearly the same size.
inline std::int64_t part_begin(std::int64_t entries, int parts, int i) { return entries * i / parts; }

/// Parts \p first to \p last - 1 of \p all.
inline Piece parts_of(const Piece& all, int parts, int first, int last) {
  const std::int64_t begin = part_begin(all.count, parts, first);
  return all.part(begin, part_begin(all.count, parts, last) - begin);
}

}  // namespace adcl::codelets
