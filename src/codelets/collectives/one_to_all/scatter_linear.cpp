// The root sends each rank its block directly, all messages at once or a few at a time.
#include "codelets/collectives/one_to_all/scatter_linear.hpp"

#include "codelets/collectives/rows.hpp"

namespace adcl::codelets {

void scatter_directly(Script& script, int in_flight, bool synchronized) {
  if (script.rank() != script.root()) {
    if (synchronized) {
      script.signal(script.root());
      script.end_round();
    }
    script.receive(script.root(), script.result());
    script.end_round();
    return;
  }
  int posted = 0;
  for (int step = 1; step < script.size(); ++step) {
    const int peer = script.around(step);
    if (synchronized) {
      script.await(peer);
      script.end_round();
    }
    script.send(peer, script.out(peer));
    if (in_flight > 0 && ++posted % in_flight == 0) {
      script.end_round();
    }
  }
  if (!script.problem().in_place) {
    script.copy(script.out(script.rank()), script.result());
  }
  script.end_round();
}

namespace {

template <int in_flight, bool synchronized>
void linear(Script& script) {
  scatter_directly(script, in_flight, synchronized);
}

}  // namespace

Rows scatter_linear() {
  return {
      row<&linear<0, false>, Needs{.ranks = 1}>("Linear", {Family::linear}, source::thesis, "p"),
      row<&linear<1, false>, Needs{.ranks = 3}>("Linear_1", {.family = Family::linear, .in_flight = 1}, source::thesis,
                                                "p"),
      row<&linear<4, false>, Needs{.ranks = 6}>("Linear_4", {.family = Family::linear, .in_flight = 4}, source::thesis,
                                                "p"),
      row<&linear<1, true>, Needs{}>("Linear_sync", {Family::synchronized}, source::pjesivac, "p"),
      shared_row<&linear<0, false>, Needs{}>("Linear", {Family::linear}, source::thesis, "p"),
  };
}

}  // namespace adcl::codelets
