// Expected gain and cost of trials in the model.
#include <algorithm>
#include <cmath>

#include "core/elementary.hpp"
#include "select/model/model.hpp"
#include "select/prior.hpp"

namespace adcl::select {

namespace {

/// Part of a block's noise that more executions do not reduce, because it belongs to the block's plan. With 0, the time
/// of 2000 starts rises by 0.3 %.
constexpr double own_part = 0.5;

}  // namespace

/// Seconds per unit of expected_first_cost(): the median of measured / expected overhead. Without a
/// measurement, the time of the best candidate divided by its prior.
double Model::first_cost_scale() const {
  const double unit_s = judged_s(fastest()) / exponential(prior_mean(candidate(fastest())));
  std::vector<double> ratios;
  for (int i = 0; i < count(); ++i) {
    if (of(i).ran && of(i).first_cost_s > 0.0 && expected_first_cost(candidate(i)) > 0.0) {
      ratios.push_back(of(i).first_cost_s / expected_first_cost(candidate(i)));
    }
  }
  if (ratios.empty()) {
    return unit_s;
  }
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return *middle;
}

/// Lists all possible trials of active candidates with their gain and cost.
void Model::evaluate_trials() {
  possible_trials_.clear();
  const int best = fastest();
  const double leader_s = judged_s(best);
  const double first_scale = first_cost_scale() / leader_s;
  double second = HUGE_VAL;
  for (int i = 0; i < count(); ++i) {
    second = i != best && can_run(i) && is_measured(i) ? std::min(second, belief_.mean(i)) : second;
  }
  for (int i = 0; i < count(); ++i) {
    if (!can_run(i) || !is_active(i) || is_primed(i)) {
      continue;
    }
    const double mean = belief_.mean(i);
    const double variance = belief_.variance(i);
    const double behind = i == best ? second - mean : mean - belief_.mean(best);
    if (behind > far * std::sqrt(variance)) {
      continue;
    }
    const double slower = exponential(mean - belief_.mean(best) + variance / 2.0);
    const double once = of(i).ran ? slower : first_scale * expected_first_cost(candidate(i)) + slower - 1.0;
    for (const int executions : {first_executions, 2 * first_executions, 4 * first_executions}) {
      if (executions > std::max(first_executions, measurements()) || (!of(i).ran && executions > first_executions)) {
        break;
      }
      if (only_short_blocks(i) && executions < 4 * first_executions && 2 * executions <= measurements()) {
        continue;  // another short block is useless
      }
      const double error = block_noise_ * (own_part + (1.0 - own_part) * first_executions / executions);
      const double step = std::sqrt(variance * variance / (variance + error));
      const double gain = 1.0 - exponential(-expected_excess(-behind, step));
      possible_trials_.push_back(
          {i, executions, gain, once + counted_of({i, executions}) * std::max(slower - 1.0, 0.0)});
    }
  }
}

/// Trials whose gain exceeds their cost, in descending order of worth; one per candidate, with the best number of
/// executions.
std::vector<Model::Trial> Model::worthwhile(double starts_to_come) const {
  std::vector<Trial> result;
  for (Trial trial : possible_trials_) {
    trial.worth = starts_to_come * trial.gain - trial.cost;
    if (trial.worth <= 0.0) {
      continue;
    }
    if (result.empty() || result.back().candidate != trial.candidate) {
      result.push_back(trial);
    } else if (trial.worth > result.back().worth) {
      result.back() = trial;
    }
  }
  std::stable_sort(result.begin(), result.end(), [](const Trial& a, const Trial& b) { return a.worth > b.worth; });
  return result;
}

}  // namespace adcl::select
