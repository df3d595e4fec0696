#include "clock_sync.hpp"

#include <cmath>
#include <vector>

namespace adcl::bench {
namespace {

void answer(Peers& peers, const ClockModel& model, int client, int exchanges) {
  for (int i = 0; i < exchanges; ++i) {
    peers.receive(client);
    peers.send(client, model.reference(peers.now()));
  }
}

Offset ask(Peers& peers, int reference, int exchanges) {
  std::vector<Exchange> done(static_cast<std::size_t>(exchanges));
  for (Exchange& exchange : done) {
    exchange.sent_s = peers.now();
    peers.send(reference, exchange.sent_s);
    exchange.answered_s = peers.receive(reference);
    exchange.received_s = peers.now();
  }
  return offset_of(done);
}

ClockModel learn(Peers& peers, int reference, const SyncSettings& settings) {
  std::vector<Offset> offsets;
  offsets.reserve(static_cast<std::size_t>(settings.points));
  for (int point = 0; point < settings.points; ++point) {
    offsets.push_back(ask(peers, reference, settings.exchanges));
    peers.pause(settings.spacing_s);
  }
  return fit(offsets);
}

}  // namespace

ClockModel synchronise(Peers& peers, int rank, int size, const SyncSettings& settings) {
  ClockModel model;
  for (int knowing = 1; knowing < size; knowing *= 2) {
    if (rank < knowing && rank + knowing < size) {
      answer(peers, model, rank + knowing, settings.points * settings.exchanges);
    } else if (rank >= knowing && rank < 2 * knowing) {
      model = learn(peers, rank - knowing, settings);
    }
  }
  return model;
}

double remaining_error(Peers& peers, const ClockModel& model, int rank, int size, int exchanges) {
  if (rank != 0) {
    const Offset offset = ask(peers, 0, exchanges);
    return std::abs(offset.at_s + offset.offset_s - model.reference(offset.at_s));
  }
  for (int client = 1; client < size; ++client) {
    answer(peers, model, client, exchanges);
  }
  return 0.0;
}

}  // namespace adcl::bench
