#include "tuner/incumbent.hpp"

#include <algorithm>

namespace adcl::runtime {

void Incumbent::retire() {
  abandon_comparison();
  winner_.reset();
  stored_ = false;
}

void Incumbent::compare(double first_s, double winner_s, std::int64_t starts) {
  const auto winner = static_cast<int>(*winner_);
  if (pairs_.winner() != winner) {
    abandon_comparison();
    pairs_.compare(winner, first_s, winner_s, starts);
  }
}

void Incumbent::abandon_comparison() {
  if (agreement_.active()) {
    agreement_.wait();
  }
  postponed_ = 0;
  quiet_ = false;
  pairs_.abandon();
}

std::int64_t Incumbent::before_next_step(std::int64_t starts, std::int64_t now) {
  const std::int64_t before = quiet_ ? std::clamp<std::int64_t>(pairs_.due() - now, 0, starts) : starts;
  postponed_ = starts - before;
  return before;
}

Incumbent::Step Incumbent::step(std::int64_t start) {
  if (agreement_.active()) {
    pairs_.absorb(agreement_.wait(), start);
    return {std::nullopt, true};
  }
  const auto pair = pairs_.next();
  if (!pair.has_value()) {
    agreement_.post(pairs_.pending(), context_);
    pairs_.posted(start);
    return {};
  }
  const int slot = pair->sample < 0 ? comparison_warm_up : comparison_sample - pair->sample;
  return {select::Ticket{pair->first ? 0 : static_cast<int>(*winner_), slot, start, false}, false};
}

}  // namespace adcl::runtime
