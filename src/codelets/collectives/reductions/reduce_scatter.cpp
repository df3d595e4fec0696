// Reductions whose result is scattered over the ranks.
#include "codelets/collectives/reductions/fold.hpp"
#include "codelets/collectives/reductions/halving.hpp"
#include "codelets/collectives/reductions/reduce_tree.hpp"
#include "codelets/collectives/rows.hpp"

namespace adcl::codelets {
namespace {

/// The location of this rank's result: the beginning of the receive array.
Piece result_of(const Script& script) {
  Piece result = script.input_of(script.rank());
  result.place = Place::receive;
  result.offset = 0;
  return result;
}

/// Each rank receives its entries from all other ranks and combines them in the order of the ranks.
void linear(Script& script) {
  const int p = script.size();
  const int me = script.rank();
  std::vector<Piece> arrived(static_cast<std::size_t>(p), script.input_of(me));
  for (int step = 1; step < p; ++step) {
    Piece& place = arrived[static_cast<std::size_t>(script.around(-step))];
    place = script.scratch_like(script.input_of(me));
    script.receive(script.around(-step), place);
    script.send(script.around(step), script.input_of(script.around(step)));
  }
  // The last operand is overwritten, so it must not be this rank's input.
  if (me > 0) {
    Piece& own = arrived[static_cast<std::size_t>(me)];
    const Piece copied = script.scratch_like(own);
    script.copy(own, copied);
    own = copied;
  }
  Fold fold(script, arrived.front(), false);
  for (std::size_t i = 1; i < arrived.size(); ++i) {
    fold.append(arrived[i]);
  }
  script.copy(fold.value(), result_of(script));
}

/// Each rank receives its entries from one rank after the other.
void pairwise(Script& script) {
  const Piece own = script.input_of(script.rank());
  const Piece sum = script.scratch_like(own);
  const Piece arrived = script.scratch_like(own);
  script.copy(own, sum);
  script.end_round();
  for (int step = 1; step < script.size(); ++step) {
    script.send(script.around(step), script.input_of(script.around(step)));
    script.receive(script.around(-step), arrived);
    script.combine(arrived, sum);
    script.end_round();
  }
  script.copy(sum, result_of(script));
}

/// The entries of each rank circulate once and end on that rank.
void ring(Script& script) {
  const Piece input = script.input();
  const auto block = [&](const Piece& all, int rank) {
    const std::int64_t first = script.entries_before(rank);
    return all.part(first, script.entries_before(rank + 1) - first);
  };
  const Piece sums = script.scratch_like(input);
  script.copy(input, sums);
  script.end_round();
  const Piece arrived = script.scratch_like(input);
  for (int step = 1; step < script.size(); ++step) {
    const int sent = script.around(-step);
    const int received = script.around(-step - 1);
    script.send(script.around(1), block(sums, sent));
    script.receive(script.around(-1), block(arrived, received));
    script.combine(block(arrived, received), block(sums, received));
    script.end_round();
  }
  script.copy(block(sums, script.rank()), result_of(script));
}

std::int64_t part_of_member(const Script& script, const PowerOfTwo& group, std::int64_t entries, int member) {
  return member == group.members ? entries : script.entries_before(group.first_of(member));
}

void halving(Script& script) {
  const PowerOfTwo group(script.size());
  const Piece input = script.input();
  const Piece values = join_pairs(script, group, input, script.scratch_like(input));
  halve(script, group, values, &part_of_member);
  const int me = script.rank();
  const auto block = [&](int rank) {
    const std::int64_t first = script.entries_before(rank);
    return values.part(first, script.entries_before(rank + 1) - first);
  };
  if (group.member_of(me) < 0) {
    script.receive(me + 1, result_of(script));
    return;
  }
  if (me < 2 * group.pairs) {
    script.send(me - 1, block(me - 1));
  }
  script.copy(block(me), result_of(script));
}

/// A reduction, then a scatter. Performance guideline: a reduce-scatter should not be slower than a reduction and a
/// scatter.
void reduce_and_scatter(Script& script) {
  const Piece input = script.input();
  const int me = script.rank();
  const Piece all = me == 0 ? script.scratch_like(input) : input;
  reduce_along(script, knomial_node(me, script.size(), 2), 0, input, all, 0);
  script.end_round();
  if (me > 0) {
    script.receive(0, result_of(script));
    return;
  }
  for (int rank = 0; rank < script.size(); ++rank) {
    const std::int64_t first = script.entries_before(rank);
    const Piece block = all.part(first, script.entries_before(rank + 1) - first);
    if (rank == me) {
      script.copy(block, result_of(script));
      script.end_round();
    } else {
      script.send(rank, block);
    }
  }
}

}  // namespace

Rows reduce_scatters() {
  return {
      row<&linear, Needs{.ranks = 1}>("Linear", {Family::linear}, source::thakur, "p"),
      row<&halving, Needs{.ranks = 3, .commutative = true}>("Halving", {Family::halving}, source::thakur, "p"),
      row<&pairwise, Needs{.ranks = 2, .commutative = true}>("Pairwise", {Family::pairs}, source::thakur, "p"),
      row<&ring, Needs{.ranks = 3, .commutative = true}>("Ring", {Family::ring}, source::chan, "p"),
      row<&reduce_and_scatter, Needs{}>("Reduce_scatter", {Family::combined}, source::guidelines, "p"),
      shared_row<&linear, Needs{}>("Linear", {Family::linear}, source::thakur, "p"),
      shared_row<&pairwise, Needs{.commutative = true}>("Pairwise", {Family::pairs}, source::thakur, "p"),
  };
}

}  // namespace adcl::codelets
