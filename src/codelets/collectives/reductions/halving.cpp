#include "codelets/collectives/reductions/halving.hpp"

#include <bit>

namespace adcl::codelets {

PowerOfTwo::PowerOfTwo(int ranks)
    : members(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))), pairs(ranks - members) {}

Piece join_pairs(Script& script, const PowerOfTwo& group, const Piece& input, const Piece& place) {
  const int me = script.rank();
  if (group.member_of(me) < 0) {
    script.send(me + 1, input);
    script.end_round();
    return input;
  }
  script.copy(input, place);
  script.end_round();
  if (me < 2 * group.pairs) {
    const Piece other = script.scratch_like(input);
    script.receive(me - 1, other);
    script.combine(other, place);
    script.end_round();
  }
  return place;
}

void halve(Script& script, const PowerOfTwo& group, const Piece& values, PartBegin begin) {
  const int me = group.member_of(script.rank());
  if (me < 0) {
    return;
  }
  const auto parts = [&](const Piece& piece, int first, int last) {
    const std::int64_t from = begin(script, group, values.count, first);
    return piece.part(from, begin(script, group, values.count, last) - from);
  };
  const Piece arrived = script.scratch_like(values);
  int first = 0;
  int last = group.members;
  while (last - first > 1) {
    const int middle = (first + last) / 2;
    const int half = middle - first;
    const bool upper = me >= middle;
    const int peer = group.rank_of(upper ? me - half : me + half);
    const int kept_first = upper ? middle : first;
    const int kept_last = upper ? last : middle;
    script.send(peer, upper ? parts(values, first, middle) : parts(values, middle, last));
    script.receive(peer, parts(arrived, kept_first, kept_last));
    script.combine(parts(arrived, kept_first, kept_last), parts(values, kept_first, kept_last));
    script.end_round();
    first = kept_first;
    last = kept_last;
  }
}

}  // namespace adcl::codelets
