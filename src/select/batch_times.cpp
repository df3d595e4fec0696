#include "select/batch_times.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "measure/mean.hpp"

namespace adcl::select {

namespace {

constexpr std::size_t numbers_per_block = 8;
constexpr std::size_t moments_per_sample = 2;

}  // namespace

void BatchTimes::begin(std::vector<int> counted) {
  counted_ = std::move(counted);
  spent_.assign(counted_.size(), 0.0);
  const std::size_t samples = at(std::accumulate(counted_.begin(), counted_.end(), 0));
  // Assign new vectors, because assign() would keep the memory.
  seconds_ = std::vector<double>(samples, unknown);
  left_ = std::vector<double>(common_clock_ ? samples : 0, unknown);
}

void BatchTimes::record(int place, double seconds, double left_s) {
  seconds_[at(place)] = seconds;
  if (common_clock_) {
    left_[at(place)] = left_s;
  }
}

bool BatchTimes::recorded(int place) const { return !std::isnan(seconds_[at(place)]); }

void BatchTimes::spend(std::size_t block, double seconds) { spent_[block] += std::isfinite(seconds) ? seconds : 0.0; }

std::size_t BatchTimes::length() const {
  return counted_.size() * numbers_per_block + left_.size() * moments_per_sample;
}

std::vector<double> BatchTimes::pending(const Parameters& parameters) const {
  std::vector<double> result;
  result.reserve(length());
  std::vector<double> present;
  auto first = seconds_.begin();
  auto left = left_.begin();
  for (std::size_t i = 0; i < counted_.size(); ++i) {
    present.clear();
    std::copy_if(first, first + counted_[i], std::back_inserter(present),
                 [](double seconds) { return !std::isnan(seconds); });
    if (whole_blocks_ && !present.empty()) {
      std::ranges::fill(present, measure::mean(present));
    }
    const auto numbers = parameters.estimator->summarize(present, parameters.options);
    const double shortest_s = present.empty() ? 0.0 : std::ranges::min(present);
    const double besides_s = std::accumulate(present.begin(), present.end(), spent_[i], std::minus<>());
    // Negate the numbers that the reduction must minimize.
    result.insert(result.end(), {numbers.mean_s, numbers.filtered_mean_s, numbers.outliers, -numbers.measurements,
                                 numbers.spread_s, shortest_s, spent_[i], -std::max(besides_s, 0.0)});
    if (common_clock_) {
      for (int sample = 0; sample < counted_[i]; ++sample, ++left) {
        const double seconds = first[sample];
        const bool known = std::isfinite(*left) && !std::isnan(seconds);
        result.push_back(known ? *left - seconds : infinity);
        result.push_back(known ? *left : -infinity);
      }
    }
    first += counted_[i];
  }
  return result;
}

/// Results from \p moments: the last rank's arrival and the last rank's departure of each execution. There is no
/// measurement if fewer than half of the executions have both.
BatchTimes::Block BatchTimes::from_arrivals(std::span<const double> moments, double besides_s,
                                            const Parameters& parameters) const {
  std::vector<double> times;
  for (std::size_t i = 0; i + 1 < moments.size(); i += moments_per_sample) {
    const double seconds = moments[i + 1] - moments[i];
    if (std::isfinite(seconds)) {
      times.push_back(std::max(seconds, 0.0));
    }
  }
  if (times.empty() || times.size() * 2 * moments_per_sample < moments.size()) {
    return {};
  }
  const measure::Numbers numbers = parameters.estimator->summarize(times, parameters.options);
  return {numbers, std::ranges::min(times), besides_s + numbers.measurements * numbers.mean_s};
}

std::vector<BatchTimes::Block> BatchTimes::combined(std::span<const double> reduced,
                                                    const Parameters& parameters) const {
  require(reduced.size() == length(), Code::internal, "absorb() of ", reduced.size(), " values for a batch of ",
          counted_.size(), " blocks; ", length(), " are needed");
  std::vector<Block> result;
  for (const int count : counted_) {
    const auto values = reduced.first(numbers_per_block);
    const auto moments = reduced.subspan(numbers_per_block, common_clock_ ? at(count) * moments_per_sample : 0);
    Block block = from_arrivals(moments, -values[7], parameters);
    if (block.numbers.measurements < 1.0) {
      block = {{values[0], values[1], values[2], -values[3], values[4]}, values[5], values[6]};
    }
    result.push_back(block);
    reduced = reduced.subspan(numbers_per_block + moments.size());
  }
  return result;
}

}  // namespace adcl::select
