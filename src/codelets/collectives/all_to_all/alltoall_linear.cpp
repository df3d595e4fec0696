// Every rank sends each other rank its block, all messages at once or a few at a time.
#include "codelets/collectives/rows.hpp"

namespace adcl::codelets {
namespace {

template <int in_flight>
void linear(Script& script) {
  for (int step = 1; step < script.size(); ++step) {
    const int to = script.around(step);
    const int from = script.around(-step);
    script.receive(from, script.in(from));
    script.send(to, script.out(to));
    if (in_flight > 0 && step % in_flight == 0) {
      script.end_round();
    }
  }
  script.copy(script.out(script.rank()), script.in(script.rank()));
}

/// A block is sent when its receiver has signaled that it is ready, so that no message is unexpected.
void synchronized(Script& script) {
  for (int step = 1; step < script.size(); ++step) {
    script.signal(script.around(-step));
    script.await(script.around(step));
  }
  script.end_round();
  for (int step = 1; step < script.size(); ++step) {
    const int to = script.around(step);
    const int from = script.around(-step);
    script.receive(from, script.in(from));
    script.send(to, script.out(to));
  }
  script.copy(script.out(script.rank()), script.in(script.rank()));
}

template <int in_flight>
Codelet limited(const char* name) {
  return row<&linear<in_flight>, Needs{.ranks = in_flight + 2}>(
      name, {.family = Family::linear, .in_flight = in_flight}, source::thesis, "p");
}

}  // namespace

Rows alltoall_linear() {
  return {
      row<&linear<0>, Needs{.ranks = 1}>("Linear", {Family::linear}, source::thesis, "p"),
      row<&synchronized, Needs{}>("Linear_sync", {Family::synchronized}, source::thesis, "p"),
      limited<2>("Linear_2"),
      limited<4>("Linear_4"),
      limited<8>("Linear_8"),
      shared_row<&linear<0>, Needs{}>("Linear", {Family::linear}, source::thesis, "p"),
  };
}

}  // namespace adcl::codelets
