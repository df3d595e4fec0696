// Bruck's all-to-all: each round handles one digit of the distance between sender and receiver, and sends the blocks
// with the same digit together, in fewer and longer messages.
#include <vector>

#include "codelets/collectives/rows.hpp"

namespace adcl::codelets {
namespace {

template <int radix>
void bruck(Script& script) {
  const int p = script.size();
  const std::int64_t bytes = script.in(0).bytes();
  const Piece all = script.scratch(bytes * p);  // block i is sent to, or was received from, the rank at distance i
  const auto block = [&](const Piece& area, std::int64_t i) { return area.part(i * bytes, bytes); };
  for (int i = 0; i < p; ++i) {
    script.copy(script.out(script.around(i)), block(all, i));
  }
  script.end_round();
  for (int distance = 1; distance < p; distance *= radix) {
    for (int digit = 1; digit < radix && digit * distance < p; ++digit) {
      std::vector<int> travel;
      for (int i = digit * distance; i < p; ++i) {
        if (i / distance % radix == digit) {
          travel.push_back(i);
        }
      }
      const auto n = static_cast<std::int64_t>(travel.size());
      const Piece out = script.scratch(n * bytes);
      const Piece in = script.scratch(n * bytes);
      for (std::int64_t j = 0; j < n; ++j) {
        script.copy(block(all, travel[static_cast<std::size_t>(j)]), block(out, j));
      }
      script.end_round();
      script.receive(script.around(-digit * distance), in);
      script.send(script.around(digit * distance), out);
      for (std::int64_t j = 0; j < n; ++j) {
        script.copy(block(in, j), block(all, travel[static_cast<std::size_t>(j)]));
      }
      script.end_round();
    }
  }
  for (int i = 0; i < p; ++i) {
    script.copy(block(all, i), script.in(script.around(-i)));
  }
}

}  // namespace

Rows alltoall_bruck() {
  return {
      row<&bruck<2>, Needs{.ranks = 3}>("Bruck", {.family = Family::bruck, .radix = 2}, source::bruck, "p log p"),
      row<&bruck<4>, Needs{.ranks = 5}>("Bruck_4", {.family = Family::bruck, .radix = 4}, source::bruck, "p log p"),
  };
}

}  // namespace adcl::codelets
