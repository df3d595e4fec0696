// Each rank sends its block to every other rank, all messages at once or a few at a time.
#include "codelets/collectives/rows.hpp"

namespace adcl::codelets {
namespace {

template <int in_flight>
void linear(Script& script) {
  for (int step = 1; step < script.size(); ++step) {
    script.receive(script.around(-step), script.in(script.around(-step)));
    script.send(script.around(step), script.own());
    if (in_flight > 0 && step % in_flight == 0) {
      script.end_round();
    }
  }
  script.copy(script.own(), script.in(script.rank()));
}

}  // namespace

Rows allgather_linear() {
  return {
      row<&linear<0>, Needs{.ranks = 1}>("Linear", {Family::linear}, source::thesis, "p"),
      row<&linear<1>, Needs{.ranks = 3}>("Linear_1", {.family = Family::linear, .in_flight = 1}, source::thesis, "p"),
      shared_row<&linear<0>, Needs{}>("Linear", {Family::linear}, source::thesis, "p"),
  };
}

}  // namespace adcl::codelets
