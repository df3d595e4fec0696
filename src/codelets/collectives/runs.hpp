/// \file runs.hpp
/// Blocks of consecutive ranks in an array with one block for each rank. Pure.
#pragma once

#include <algorithm>
#include <vector>

#include "codelets/collectives/schedule.hpp"

namespace adcl::codelets {

/// Adjacent blocks.
struct Run {
  int rank = 0;  ///< rank of the first block
  int blocks = 0;
};

/// The blocks of the ranks \p first to \p last - 1, counted from the root: one run, or two if the range wraps around
/// after the last rank.
inline std::vector<Run> runs_of(const Script& script, int first, int last) {
  const int wrap = script.size() - script.root();
  std::vector<Run> runs;
  const auto add = [&](int begin, int end) {
    if (begin < end) {
      runs.push_back({script.rank_at(begin), end - begin});
    }
  };
  add(first, std::min(last, wrap));
  add(std::max(first, wrap), last);
  return runs;
}

/// \p blocks consecutive blocks that begin with block \p first.
inline Piece joined(const Piece& first, int blocks) {
  return {first.place, first.type, first.offset, first.count * blocks};
}

}  // namespace adcl::codelets
