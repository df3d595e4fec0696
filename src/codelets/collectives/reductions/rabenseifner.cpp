// Rabenseifner's reductions of long vectors: recursive halving leaves a part of the result on each rank; then all ranks
// collect the parts by recursive doubling, or the root collects them along a binomial tree.
#include "codelets/collectives/reductions/halving.hpp"
#include "codelets/collectives/rows.hpp"
#include "codelets/collectives/segments.hpp"

namespace adcl::codelets {
namespace {

std::int64_t even_part(const Script& /*script*/, const PowerOfTwo& group, std::int64_t entries, int member) {
  return part_begin(entries, group.members, member);
}

void allreduce(Script& script) {
  const PowerOfTwo group(script.size());
  const Piece input = script.input();
  const Piece result{Place::receive, input.type, 0, input.count};
  const Piece values = join_pairs(script, group, input, result);
  halve(script, group, values, &even_part);
  const int me = group.member_of(script.rank());
  for (int distance = 1; me >= 0 && distance < group.members; distance *= 2) {
    const int peer = me ^ distance;
    const int mine = me / distance * distance;
    const int theirs = peer / distance * distance;
    script.send(group.rank_of(peer), parts_of(result, group.members, mine, mine + distance));
    script.receive(group.rank_of(peer), parts_of(result, group.members, theirs, theirs + distance));
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

void reduce(Script& script) {
  const PowerOfTwo group(script.size());
  const Piece input = script.input();
  const Piece result{Place::receive, input.type, 0, input.count};
  const bool is_root = script.rank() == script.root();
  const Piece place = is_root ? result : script.scratch_like(input);
  const Piece values = join_pairs(script, group, input, place);
  halve(script, group, values, &even_part);
  const int me = group.member_of(script.rank());
  // If the root is not a member, its neighbor collects the parts.
  const int root_member = group.member_of(script.root());
  const int collector = root_member < 0 ? script.root() / 2 : root_member;
  const int relative = me ^ collector;
  for (int distance = 1; me >= 0 && distance < group.members && (relative & (distance - 1)) == 0; distance *= 2) {
    const int peer = me ^ distance;
    const int mine = me / distance * distance;
    const int theirs = peer / distance * distance;
    if ((relative & distance) != 0) {
      script.send(group.rank_of(peer), parts_of(values, group.members, mine, mine + distance));
    } else {
      script.receive(group.rank_of(peer), parts_of(values, group.members, theirs, theirs + distance));
    }
    script.end_round();
  }
  if (root_member < 0 && me == collector) {
    script.send(script.root(), values);
  } else if (root_member < 0 && is_root) {
    script.receive(group.rank_of(collector), result);
  }
}

}  // namespace

Rows rabenseifner_allreduce() {
  constexpr Needs needs{.ranks = 3, .commutative = true};
  return {
      row<&allreduce, needs>("Rabenseifner", {Family::halving}, source::thakur, "log p"),
      shared_row<&allreduce, Needs{.commutative = true}>("Rabenseifner", {Family::halving}, source::thakur, "log p")};
}

Rows rabenseifner_reduce() {
  return {
      row<&reduce, Needs{.ranks = 3, .commutative = true}>("Rabenseifner", {Family::halving}, source::thakur, "log p")};
}

}  // namespace adcl::codelets
