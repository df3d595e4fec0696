// Bruck's allgather: in each round a rank sends all its blocks to preceding ranks. The number of rounds is the number
// of digits of the number of ranks in the base of the algorithm.
#include <algorithm>

#include "codelets/collectives/all_to_all/allgather_area.hpp"
#include "codelets/collectives/rows.hpp"

namespace adcl::codelets {
namespace {

template <int radix>
void bruck(Script& script) {
  RotatedArea area(script);
  const int p = script.size();
  for (int distance = 1; distance < p; distance *= radix) {
    for (int digit = 1; digit < radix && digit * distance < p; ++digit) {
      const int first = digit * distance;
      const int blocks = std::min(distance, p - first);
      script.send(script.around(-first), area.blocks(0, blocks));
      script.receive(script.around(first), area.blocks(first, first + blocks));
    }
    script.end_round();
  }
  area.finish();
}

}  // namespace

Rows allgather_bruck() {
  return {
      row<&bruck<2>, Needs{.ranks = 3}>("Bruck", {.family = Family::bruck, .radix = 2}, source::bruck, "p"),
      row<&bruck<4>, Needs{.ranks = 5}>("Bruck_4", {.family = Family::bruck, .radix = 4}, source::bruck, "p"),
  };
}

}  // namespace adcl::codelets
