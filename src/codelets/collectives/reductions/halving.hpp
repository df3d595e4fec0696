/// \file halving.hpp
/// Recursive halving: the reduce-scatter with which long reductions begin.
#pragma once

#include "codelets/collectives/schedule.hpp"

namespace adcl::codelets {

/// The ranks that go on when those beyond a power of two have given their values to a neighbor. Pure.
struct PowerOfTwo {
  explicit PowerOfTwo(int ranks);
  int members = 1;  ///< a power of two
  int pairs = 0;    ///< the first 2 * pairs ranks are pairs, of which the second one goes on for both

  /// The number of \p rank among the members; -1: it is none.
  [[nodiscard]] int member_of(int rank) const noexcept {
    return rank >= 2 * pairs ? rank - pairs : rank % 2 == 1 ? rank / 2 : -1;
  }
  [[nodiscard]] int rank_of(int member) const noexcept { return member < pairs ? 2 * member + 1 : member + pairs; }
  /// The lowest rank for which \p member goes on; of `members`: the number of ranks.
  [[nodiscard]] int first_of(int member) const noexcept { return member < pairs ? 2 * member : member + pairs; }
};

/// The first of a pair sends its input to the second one. Returns where this rank has the values of all for which it
/// goes on, which may be written to: \p input copied to \p place, or, in place, the input itself.
Piece join_pairs(Script& script, const PowerOfTwo& group, const Piece& input, const Piece& place);

/// Where the part of a member of the group begins among the entries.
using PartBegin = std::int64_t (*)(const Script&, const PowerOfTwo&, std::int64_t entries, int member);

/// Combines \p values of all members: in the end each has the result for its own part. The operation is commutative.
void halve(Script& script, const PowerOfTwo& group, const Piece& values, PartBegin begin);

}  // namespace adcl::codelets
