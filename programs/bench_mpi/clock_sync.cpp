#include "clock_sync.hpp"

#include <cmath>
#include <vector>

namespace adcl::bench {
namespace {

void reply(Peers& peers, const ClockModel& model, int client, int exchanges) {
  for (int i = 0; i < exchanges; ++i) {
    peers.receive(client);
    peers.send(client, model.reference(peers.now()));
  }
}

Offset measure_offset(Peers& peers, int reference, int exchanges) {
  std::vector<Exchange> done(static_cast<std::size_t>(exchanges));
  for (Exchange& exchange : done) {
    exchange.sent_s = peers.now();
    peers.send(reference, exchange.sent_s);
    exchange.answered_s = peers.receive(reference);
    exchange.received_s = peers.now();
  }
  return offset_of(done);
}

ClockModel fit_clock(Peers& peers, int reference, const SyncSettings& settings) {
  std::vector<Offset> offsets;
  offsets.reserve(static_cast<std::size_t>(settings.points));
  for (int point = 0; point < settings.points; ++point) {
    offsets.push_back(measure_offset(peers, reference, settings.exchanges));
    peers.pause(settings.spacing_s);
  }
  return fit(offsets);
}

}  // namespace

ClockModel synchronize(Peers& peers, int rank, int size, const SyncSettings& settings) {
  ClockModel model;
  for (int synchronized_ranks = 1; synchronized_ranks < size; synchronized_ranks *= 2) {
    if (rank < synchronized_ranks && rank + synchronized_ranks < size) {
      reply(peers, model, rank + synchronized_ranks, settings.points * settings.exchanges);
    } else if (rank >= synchronized_ranks && rank < 2 * synchronized_ranks) {
      model = fit_clock(peers, rank - synchronized_ranks, settings);
    }
  }
  return model;
}

double remaining_error(Peers& peers, const ClockModel& model, int rank, int size, int exchanges) {
  if (rank != 0) {
    const Offset offset = measure_offset(peers, 0, exchanges);
    return std::abs(offset.at_s + offset.offset_s - model.reference(offset.at_s));
  }
  for (int client = 1; client < size; ++client) {
    reply(peers, model, client, exchanges);
  }
  return 0.0;
}

}  // namespace adcl::bench
