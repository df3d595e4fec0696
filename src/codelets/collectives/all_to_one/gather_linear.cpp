// Each rank sends its block directly to the root, all messages at once or a few at a time.
#include "codelets/collectives/all_to_one/gather_linear.hpp"

#include "codelets/collectives/rows.hpp"

namespace adcl::codelets {

void gather_directly(Script& script, int in_flight, bool synchronized) {
  if (script.rank() != script.root()) {
    if (synchronized) {
      script.await(script.root());
      script.end_round();
    }
    script.send(script.root(), script.own());
    script.end_round();
    return;
  }
  int posted = 0;
  for (int step = 1; step < script.size(); ++step) {
    const int peer = script.around(step);
    if (synchronized) {
      script.signal(peer);
    }
    script.receive(peer, script.in(peer));
    if (in_flight > 0 && ++posted % in_flight == 0) {
      script.end_round();
    }
  }
  script.copy(script.own(), script.in(script.rank()));
  script.end_round();
}

namespace {

template <int in_flight, bool synchronized>
void linear(Script& script) {
  gather_directly(script, in_flight, synchronized);
}

}  // namespace

Rows gather_linear() {
  return {
      row<&linear<0, false>, Needs{.ranks = 1}>("Linear", {Family::linear}, source::thesis, "p"),
      row<&linear<1, false>, Needs{.ranks = 3}>("Linear_1", {.family = Family::linear, .in_flight = 1}, source::thesis,
                                                "p"),
      row<&linear<4, false>, Needs{.ranks = 6}>("Linear_4", {.family = Family::linear, .in_flight = 4}, source::thesis,
                                                "p"),
      row<&linear<0, true>, Needs{}>("Linear_sync", {Family::synchronized}, source::pjesivac, "p"),
      row<&linear<1, true>, Needs{.ranks = 3}>("Linear_sync_1", {.family = Family::synchronized, .in_flight = 1},
                                               source::pjesivac, "p"),
      shared_row<&linear<0, false>, Needs{}>("Linear", {Family::linear}, source::thesis, "p"),
  };
}

}  // namespace adcl::codelets
