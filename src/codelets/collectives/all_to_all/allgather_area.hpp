/// \file allgather_area.hpp
/// Memory in which an allgather collects the blocks of all ranks, so that the blocks of consecutive ranks are one
/// message.
#pragma once

#include <cstdint>
#include <vector>

#include "codelets/collectives/schedule.hpp"

namespace adcl::codelets {

/// The receive array itself if its blocks are adjacent, otherwise packed memory.
class AllgatherArea {
 public:
  /// Copies this rank's own block to its position.
  explicit AllgatherArea(Script& script);
  /// Stores the blocks in another order: \p ranks is a permutation of all ranks.
  AllgatherArea(Script& script, std::vector<int> ranks);

  /// The blocks of the ranks \p first to \p last - 1, or of these positions in the other order.
  [[nodiscard]] Piece blocks(int first, int last) const;
  /// Copies the complete blocks to the receive array.
  void finish();

 private:
  Script& script_;
  std::vector<int> ranks_;  ///< rank at each position
  bool direct_;
  std::vector<std::int64_t> begins_;  ///< beginning of the block at each position, and the end, in entries or bytes
  Piece all_;
};

/// The blocks of all ranks in packed memory: this rank's own first, then the blocks of the following ranks, cyclically.
class RotatedArea {
 public:
  explicit RotatedArea(Script& script);

  /// The blocks of the ranks at distances \p first to \p last - 1 after this rank.
  [[nodiscard]] Piece blocks(int first, int last) const;
  void finish();

 private:
  Script& script_;
  std::vector<std::int64_t> begins_;
  Piece all_;
};

}  // namespace adcl::codelets
