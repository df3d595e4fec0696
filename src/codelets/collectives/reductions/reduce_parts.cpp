// Reductions in two direct steps: each rank receives its part of the vector from all other ranks and combines the
// received parts, then sends the result to its destinations. Through shared memory, this algorithm avoids most copies.
#include "codelets/collectives/rows.hpp"
#include "codelets/collectives/segments.hpp"

namespace adcl::codelets {
namespace {

template <bool on_all_ranks>
void parts(Script& script) {
  const int p = script.size();
  const int me = script.rank();
  const Piece input = script.input();
  const Piece result{Place::receive, input.type, 0, input.count};
  const auto part = [&](const Piece& all, int rank) { return parts_of(all, p, rank, rank + 1); };
  const bool has_result = on_all_ranks || me == script.root();
  const Piece mine = has_result ? part(result, me) : script.scratch_like(part(input, me));
  std::vector<Piece> arrived;
  for (int step = 1; step < p; ++step) {
    script.send(script.around(step), part(input, script.around(step)));
    arrived.push_back(script.scratch_like(mine));
    script.receive(script.around(-step), arrived.back());
  }
  script.copy(part(input, me), mine);
  for (const Piece& other : arrived) {
    script.combine(other, mine);
  }
  script.end_round();
  for (int step = 1; step < p; ++step) {
    const int to = script.around(step);
    const int from = script.around(-step);
    if (on_all_ranks || to == script.root()) {
      script.send(to, mine);
    }
    if (has_result) {
      script.receive(from, part(result, from));
    }
  }
}

constexpr Needs commutative{.commutative = true};

}  // namespace

Rows allreduce_parts() {
  return {row<&parts<true>, Needs{.ranks = 3, .commutative = true}>("Parts", {Family::combined}, source::chan, "p"),
          shared_row<&parts<true>, commutative>("Parts", {Family::combined}, source::chan, "p")};
}

Rows reduce_parts() { return {shared_row<&parts<false>, commutative>("Parts", {Family::combined}, source::chan, "p")}; }

}  // namespace adcl::codelets
