/// \file halving.hpp
/// Recursive halving: the reduce-scatter phase of reductions of long vectors.
#pragma once

#include "codelets/collectives/schedule.hpp"

namespace adcl::codelets {

/// The ranks that remain when the ranks beyond a power of two have passed their values to a neighbor: the members.
/// Pure.
struct PowerOfTwo {
  explicit PowerOfTwo(int ranks);
  int members = 1;  ///< a power of two
  int pairs = 0;    ///< the first 2 * pairs ranks are pairs; the second rank of each is a member for both

  /// The number of \p rank among the members; -1 if it is not a member.
  [[nodiscard]] int member_of(int rank) const noexcept {
    return rank >= 2 * pairs ? rank - pairs : rank % 2 == 1 ? rank / 2 : -1;
  }
  [[nodiscard]] int rank_of(int member) const noexcept { return member < pairs ? 2 * member + 1 : member + pairs; }
  /// The lowest rank whose values \p member has; for member = `members`, the number of ranks.
  [[nodiscard]] int first_of(int member) const noexcept { return member < pairs ? 2 * member : member + pairs; }
};

/// The first rank of a pair sends its input to the second rank. Returns the writable location of the combined values of
/// all ranks that this member represents: \p input copied to \p place, or, if in place, the input itself.
Piece join_pairs(Script& script, const PowerOfTwo& group, const Piece& input, const Piece& place);

/// Returns the first entry of a member's part.
using PartBegin = std::int64_t (*)(const Script&, const PowerOfTwo&, std::int64_t entries, int member);

/// Combines \p values of all members; at the end, each member has the result of its own part. The operation must be
/// commutative.
void halve(Script& script, const PowerOfTwo& group, const Piece& values, PartBegin begin);

}  // namespace adcl::codelets
