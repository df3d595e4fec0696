// Neighbor exchange: pairs of ranks exchange two blocks at a time, alternately with the pairs on both sides. It needs
// half the rounds of a ring.
#include "codelets/collectives/all_to_all/allgather_area.hpp"
#include "codelets/collectives/rows.hpp"

namespace adcl::codelets {
namespace {

void neighbor_exchange(Script& script) {
  AllgatherArea area(script);
  const int p = script.size();
  const bool even = script.rank() % 2 == 0;
  // The first exchange is with the partner; then the other neighbor and the partner alternate.
  const int partner = script.around(even ? 1 : -1);
  const int other = script.around(even ? -1 : 1);
  script.send(partner, area.blocks(script.rank(), script.rank() + 1));
  script.receive(partner, area.blocks(partner, partner + 1));
  script.end_round();
  const int own_pair = script.rank() / 2 * 2;
  int sent = own_pair;
  for (int step = 1; step < p / 2; ++step) {
    // Each message from one side contains the next more distant pair of blocks in that direction.
    const bool from_other = step % 2 == 1;
    const int peer = from_other ? other : partner;
    const int direction = (even == from_other) ? -1 : 1;
    const int pairs = (step + 1) / 2;
    const int received = ((own_pair + direction * 2 * pairs) % p + p) % p;
    script.send(peer, area.blocks(sent, sent + 2));
    script.receive(peer, area.blocks(received, received + 2));
    script.end_round();
    sent = received;
  }
  area.finish();
}

}  // namespace

Rows allgather_neighbor() {
  return {row<&neighbor_exchange, Needs{.ranks = 4, .even = true}>("Neighbor_exchange", {Family::neighbor_exchange},
                                                                   "Chen, Zhang, Zhang and Yuan, HPC Asia 2005", "p")};
}

}  // namespace adcl::codelets
