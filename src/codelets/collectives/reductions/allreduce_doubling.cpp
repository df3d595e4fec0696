// Recursive doubling: pairs exchange their partial results, at distances 1, 2, 4, ... Keeps the order of the ranks.
#include "codelets/collectives/reductions/allreduce_doubling.hpp"

#include "codelets/collectives/reductions/fold.hpp"
#include "codelets/collectives/reductions/halving.hpp"
#include "codelets/collectives/rows.hpp"

namespace adcl::codelets {

void allreduce_by_doubling(Script& script, const Piece& input, const Piece& result) {
  const PowerOfTwo group(script.size());
  const int me = group.member_of(script.rank());
  Fold fold(script, join_pairs(script, group, input, result), true);
  Piece free = script.scratch_like(input);
  for (int distance = 1; me >= 0 && distance < group.members; distance *= 2) {
    const int peer = me ^ distance;
    script.send(group.rank_of(peer), fold.value());
    script.receive(group.rank_of(peer), free);
    if (peer < me || script.problem().commutative) {
      fold.prepend(free, result);
    } else {
      const Piece old = fold.value();
      fold.append(free);
      free = old;
    }
    script.end_round();
  }
  if (me >= 0) {
    script.copy(fold.value(), result);
    script.end_round();
  }
  if (script.rank() < 2 * group.pairs) {
    if (me >= 0) {
      script.send(script.rank() - 1, result);
    } else {
      script.receive(script.rank() + 1, result);
    }
  }
}

namespace {

void doubling(Script& script) {
  const Piece input = script.input();
  allreduce_by_doubling(script, input, {Place::receive, input.type, 0, input.count});
}

}  // namespace

Rows allreduce_doubling() {
  return {row<&doubling, Needs{}>("Doubling", {Family::doubling}, source::thakur, "log p"),
          shared_row<&doubling, Needs{}>("Doubling", {Family::doubling}, source::thakur, "log p")};
}

}  // namespace adcl::codelets
