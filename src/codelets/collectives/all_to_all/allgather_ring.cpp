// A ring: each rank forwards the block from the previous rank to the next rank.
#include "codelets/collectives/rows.hpp"

namespace adcl::codelets {
namespace {

void ring(Script& script) {
  script.copy(script.own(), script.in(script.rank()));
  script.end_round();
  for (int step = 0; step + 1 < script.size(); ++step) {
    script.send(script.around(1), script.in(script.around(-step)));
    script.receive(script.around(-1), script.in(script.around(-step - 1)));
    script.end_round();
  }
}

}  // namespace

Rows allgather_ring() { return {row<&ring, Needs{.ranks = 3}>("Ring", {Family::ring}, source::thakur, "p")}; }

}  // namespace adcl::codelets
