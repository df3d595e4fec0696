// A ring: each part of the vector circulates once to be combined, and once more as the result.
#include "codelets/collectives/rows.hpp"
#include "codelets/collectives/segments.hpp"

namespace adcl::codelets {
namespace {

void ring(Script& script) {
  const int p = script.size();
  const Piece input = script.input();
  const Piece result{Place::receive, input.type, 0, input.count};
  const auto part = [&](const Piece& piece, int behind) {
    const int i = script.around(behind);
    return parts_of(piece, p, i, i + 1);
  };
  const Piece arrived = script.scratch_like(input);
  script.copy(input, result);
  script.end_round();
  for (int step = 0; step + 1 < p; ++step) {
    script.send(script.around(1), part(result, -step));
    script.receive(script.around(-1), part(arrived, -step - 1));
    script.combine(part(arrived, -step - 1), part(result, -step - 1));
    script.end_round();
  }
  for (int step = 0; step + 1 < p; ++step) {
    script.send(script.around(1), part(result, 1 - step));
    script.receive(script.around(-1), part(result, -step));
    script.end_round();
  }
}

}  // namespace

Rows allreduce_ring() {
  return {row<&ring, Needs{.ranks = 3, .commutative = true}>(
      "Ring", {Family::ring}, "Patarasuk and Yuan, J. Parallel Distrib. Comput. 69 (2009)", "p")};
}

}  // namespace adcl::codelets
