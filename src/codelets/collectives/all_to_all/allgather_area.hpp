/// \file allgather_area.hpp
/// Where an allgather collects the blocks of all ranks, so that the blocks of consecutive ranks are one message.
#pragma once

#include <cstdint>
#include <vector>

#include "codelets/collectives/schedule.hpp"

namespace adcl::codelets {

/// The receive array itself where its blocks lie one behind the other, otherwise packed memory.
class AllgatherArea {
 public:
  /// Puts this rank's own block into its place.
  explicit AllgatherArea(Script& script);
  /// The blocks lie in another order: \p ranks are all ranks.
  AllgatherArea(Script& script, std::vector<int> ranks);

  /// The blocks of the ranks, or of the places in the other order, \p first to \p last - 1.
  [[nodiscard]] Piece blocks(int first, int last) const;
  /// Brings the blocks to the receive array, when all are there.
  void finish();

 private:
  Script& script_;
  std::vector<int> ranks_;  ///< by place
  bool direct_;
  std::vector<std::int64_t> begins_;  ///< of each place's block: entries, or packed bytes; one more than places
  Piece all_;
};

/// The blocks of all ranks in packed memory, this rank's own first, then those of the ranks behind it in a circle.
class RotatedArea {
 public:
  explicit RotatedArea(Script& script);

  /// The blocks at places \p first to \p last - 1 behind this rank's own.
  [[nodiscard]] Piece blocks(int first, int last) const;
  void finish();

 private:
  Script& script_;
  std::vector<std::int64_t> begins_;
  Piece all_;
};

}  // namespace adcl::codelets
