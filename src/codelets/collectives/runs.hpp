/// \file runs.hpp
/// Blocks of consecutive ranks, as they lie in an array with one block for each rank. Pure.
#pragma once

#include <algorithm>
#include <vector>

#include "codelets/collectives/schedule.hpp"

namespace adcl::codelets {

/// Blocks that lie one behind the other.
struct Run {
  int rank = 0;  ///< whose block is the first one
  int blocks = 0;
};

/// The blocks of the ranks \p first to \p last - 1, counted from the root on: one run, or two where the count passes
/// the last rank.
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

/// \p blocks blocks like \p first, one behind the other.
inline Piece joined(const Piece& first, int blocks) {
  return {first.place, first.type, first.offset, first.count * blocks};
}

}  // namespace adcl::codelets
