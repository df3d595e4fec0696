// Recursive doubling: pairs exchange all their blocks, at distances 1, 2, 4, ...
#include "codelets/collectives/all_to_all/allgather_area.hpp"
#include "codelets/collectives/rows.hpp"

namespace adcl::codelets {
namespace {

void doubling(Script& script) {
  AllgatherArea area(script);
  for (int distance = 1; distance < script.size(); distance *= 2) {
    const int peer = script.rank() ^ distance;
    const int mine = script.rank() / distance * distance;
    const int theirs = peer / distance * distance;
    script.send(peer, area.blocks(mine, mine + distance));
    script.receive(peer, area.blocks(theirs, theirs + distance));
    script.end_round();
  }
  area.finish();
}

}  // namespace

Rows allgather_doubling() {
  return {row<&doubling, Needs{.ranks = 2, .power_of_two = true}>("Doubling", {Family::doubling}, source::thakur, "p")};
}

}  // namespace adcl::codelets
