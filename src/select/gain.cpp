#include "select/gain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "measure/mean.hpp"

namespace adcl::select {

namespace {

constexpr int pairs_per_group = 3;
constexpr int executions_per_side = 2;       ///< executions of a codelet in a pair: the warm-up and the sample
constexpr double affordable_part = 0.01;     ///< cost limit of all groups, as a part of the winner's time
constexpr double group_agreement_s = 20e-6;  ///< time of the agreement of a group
constexpr std::int64_t until_absorbed =
    32;  ///< starts until an agreement is absorbed, so that it completes in the background
constexpr double longest_horizon = 16.0;      ///< latest start of the sixth pair, in multiples of the starts so far
constexpr double shortest_horizon = 20000.0;  ///< latest start of the sixth pair, in starts
constexpr double gain_confidence = 0.95;

/// The largest j for which the j-th smallest and the j-th largest of \p count values enclose the median with the
/// required confidence; 0: none.
std::size_t order_of_interval(std::size_t count) {
  const double tail = (1.0 - gain_confidence) / 2.0;
  double probability = std::ldexp(1.0, -static_cast<int>(count));  // that exactly `order` values are below the median
  double below = 0.0;
  std::size_t order = 0;
  while (2 * order < count && below + probability <= tail) {
    below += probability;
    ++order;
    probability *= static_cast<double>(count - order + 1) / static_cast<double>(order);
  }
  return order;
}

}  // namespace

std::optional<Gain> gain_of(std::vector<double> ratios) {
  const std::size_t order = order_of_interval(ratios.size());
  if (order == 0) {
    return std::nullopt;
  }
  std::ranges::sort(ratios);
  return Gain{measure::quantile(ratios, 0.5), ratios[order - 1], ratios[ratios.size() - order],
              static_cast<int>(ratios.size())};
}

/// The start count from which on the cost so far, plus the cost of \p groups more groups, is at most 1 % of the time in
/// the winner.
std::int64_t GainPairs::affordable_after(int groups) const {
  const double executions = 1.0 * pairs_per_group * executions_per_side;
  const double group_s = executions * std::max(0.0, first_s_ - winner_s_) + group_agreement_s;
  const double starts = (spent_s_ + groups * group_s) / (affordable_part * winner_s_);
  return starts < static_cast<double>(never_due) ? static_cast<std::int64_t>(std::ceil(starts)) : never_due;
}

void GainPairs::compare(int winner, double first_s, double winner_s, std::int64_t starts) {
  if (winner == winner_ || winner == 0 || !std::isfinite(first_s) || !std::isfinite(winner_s) || winner_s <= 0.0) {
    return;
  }
  abandon();
  winner_ = winner;
  first_s_ = first_s;
  winner_s_ = winner_s;
  const double limit = std::max(longest_horizon * static_cast<double>(starts), shortest_horizon);
  if (static_cast<double>(affordable_after(fewest_gain_pairs / pairs_per_group)) <= limit) {
    due_ = std::max(affordable_after(1), starts);
  }
}

void GainPairs::abandon() {
  winner_ = -1;
  ratios_.clear();
  times_.end();
  due_ = never_due;
}

std::optional<GainPairs::Start> GainPairs::next() {
  if (times_.samples() == 0) {
    times_.begin(std::vector<int>(2 * pairs_per_group, 1));
    place_ = 0;
  }
  if (place_ == 2 * pairs_per_group * executions_per_side) {
    return std::nullopt;
  }
  const int number = place_ / executions_per_side;
  const int within = place_ % executions_per_side;
  ++place_;
  return Start{number % 2 == 0, within == 0 ? -1 : number};
}

void GainPairs::record(int sample, double seconds, double left_s) {
  if (sample >= 0 && sample < times_.samples() && measure::is_time(seconds)) {
    times_.record(sample, seconds, left_s);
  }
}

void GainPairs::posted(std::int64_t starts) { due_ = starts + until_absorbed; }

void GainPairs::absorb(std::span<const double> reduced, std::int64_t starts) {
  const std::vector<BatchTimes::Block> blocks = times_.combined(reduced, parameters_);
  double first_s = 0.0;
  double winner_s = 0.0;
  for (std::size_t i = 0; i + 1 < blocks.size(); i += 2) {
    const measure::Numbers& first = blocks[i].numbers;
    const measure::Numbers& winner = blocks[i + 1].numbers;
    if (first.measurements >= 1.0 && winner.measurements >= 1.0 && winner.mean_s > 0.0) {
      ratios_.push_back(first.mean_s / winner.mean_s);
      first_s += first.mean_s;
      winner_s += winner.mean_s;
    }
  }
  spent_s_ += executions_per_side * std::max(0.0, first_s - winner_s) + group_agreement_s;
  times_.end();
  // Without any measurement, for example if a request lacks a plan for the first codelet, further groups are useless.
  due_ = winner_s > 0.0 && pairs() < most_gain_pairs ? std::max(affordable_after(1), starts) : never_due;
}

}  // namespace adcl::select
