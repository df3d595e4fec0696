// One partner at a time: cyclically, or in pairs that exchange only with each other in a round.
#include "codelets/collectives/rows.hpp"

namespace adcl::codelets {
namespace {

void circle(Script& script) {
  for (int step = 1; step < script.size(); ++step) {
    const int to = script.around(step);
    const int from = script.around(-step);
    script.receive(from, script.in(from));
    script.send(to, script.out(to));
    script.end_round();
  }
  script.copy(script.out(script.rank()), script.in(script.rank()));
}

/// In each round, two ranks are partners if their sum modulo the number of ranks is the number of the round. In each
/// round, at most two ranks have no partner, for any number of ranks.
void exclusive(Script& script) {
  const int p = script.size();
  for (int round = 0; round < p; ++round) {
    const int peer = (round - script.rank() + p) % p;
    if (peer != script.rank()) {
      script.receive(peer, script.in(peer));
      script.send(peer, script.out(peer));
      script.end_round();
    }
  }
  script.copy(script.out(script.rank()), script.in(script.rank()));
}

}  // namespace

Rows alltoall_pairwise() {
  return {
      row<&circle, Needs{.ranks = 3}>("Pairwise", {Family::ring}, source::thesis, "p"),
      row<&exclusive, Needs{.ranks = 3}>("Pairwise_excl", {Family::pairs}, source::thesis, "p"),
  };
}

}  // namespace adcl::codelets
