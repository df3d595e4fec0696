#include "clock_model.hpp"

#include <algorithm>
#include <limits>

namespace adcl::bench {

Offset offset_of(std::span<const Exchange> exchanges) {
  // Both ways of a ping-pong take some time, so each exchange gives a lower and an upper bound of the offset.
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double shortest = std::numeric_limits<double>::infinity();
  double at = exchanges.front().sent_s;
  for (const Exchange& exchange : exchanges) {
    lower = std::max(lower, exchange.answered_s - exchange.received_s);
    upper = std::min(upper, exchange.answered_s - exchange.sent_s);
    if (exchange.received_s - exchange.sent_s < shortest) {
      shortest = exchange.received_s - exchange.sent_s;
      at = exchange.sent_s + shortest / 2.0;
    }
  }
  return {at, (lower + upper) / 2.0, (upper - lower) / 2.0};
}

ClockModel fit(std::span<const Offset> offsets) {
  const auto n = static_cast<double>(offsets.size());
  double mean_at = 0.0;
  double mean_offset = 0.0;
  for (const Offset& offset : offsets) {
    mean_at += offset.at_s / n;
    mean_offset += offset.offset_s / n;
  }
  double covariance = 0.0;
  double variance = 0.0;
  for (const Offset& offset : offsets) {
    covariance += (offset.at_s - mean_at) * (offset.offset_s - mean_offset);
    variance += (offset.at_s - mean_at) * (offset.at_s - mean_at);
  }
  return {mean_at, mean_offset, variance > 0.0 ? covariance / variance : 0.0};
}

}  // namespace adcl::bench
