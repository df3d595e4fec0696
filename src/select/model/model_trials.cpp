// What a trial is worth to the model, and what it costs.
#include <algorithm>
#include <cmath>

#include "core/elementary.hpp"
#include "select/likeness.hpp"
#include "select/model/model.hpp"

namespace adcl::select {

/// What first trials cost besides their executions, in seconds of what was expected in executions: of those that ran,
/// in the median.
double Model::first_cost_scale() const {
  const double unit_s = judged_s(fastest()) / exponential(expected_mean(candidate(fastest())));
  std::vector<double> ratios;
  for (int i = 0; i < count(); ++i) {
    if (of(i).ran && of(i).first_s > 0.0 && first_expected(i) > 0.0) {
      ratios.push_back(of(i).first_s / first_expected(i));
    }
  }
  if (ratios.empty()) {
    return unit_s;
  }
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return *middle;
}

/// What trials may gain per start and what they cost, for each number of executions.
void Model::weigh_trials() {
  offers_.clear();
  const int best = fastest();
  const double leader_s = judged_s(best);
  const double first_scale = first_cost_scale() / leader_s;
  double second = HUGE_VAL;
  for (int i = 0; i < count(); ++i) {
    second = i != best && usable(i) && measured(i) ? std::min(second, belief_.mean(i)) : second;
  }
  for (int i = 0; i < count(); ++i) {
    if (!usable(i) || !active(i) || known_before(i)) {
      continue;
    }
    const double mean = belief_.mean(i);
    const double variance = belief_.variance(i);
    const double behind = i == best ? second - mean : mean - belief_.mean(best);
    if (behind > hopeless_deviations * std::sqrt(variance)) {
      continue;
    }
    const double slower = exponential(std::min(mean - belief_.mean(best) + variance / 2.0, 7.0));
    const double once = of(i).ran ? slower : first_scale * first_expected(i) + slower - 1.0;
    for (const int executions : {first_executions, 2 * first_executions, 4 * first_executions}) {
      if (executions > std::max(first_executions, measurements()) || (!of(i).ran && executions > first_executions)) {
        break;
      }
      if (known_by_few(i) && executions < 4 * first_executions && 2 * executions <= measurements()) {
        continue;  // it would not tell more
      }
      const double error = block_noise_ * (0.5 + 0.5 * first_executions / executions);
      const double step = std::sqrt(variance * variance / (variance + error));
      const double gain = 1.0 - exponential(-expected_excess(-behind, step));
      offers_.push_back({i, executions, gain, once + counted_of({i, executions, 0.0}) * std::max(slower - 1.0, 0.0)});
    }
  }
}

/// Trials that are worth more than they cost, the best ones first; of a candidate the one with the number of executions
/// that is worth most.
std::vector<Model::Trial> Model::worthwhile(double starts_to_come) const {
  std::vector<Trial> result;
  for (const Offer& offer : offers_) {
    const double worth = starts_to_come * offer.gain - offer.cost;
    if (worth <= 0.0) {
      continue;
    }
    if (result.empty() || result.back().candidate != offer.candidate) {
      result.push_back({offer.candidate, offer.executions, worth});
    } else if (worth > result.back().worth) {
      result.back() = {offer.candidate, offer.executions, worth};
    }
  }
  std::stable_sort(result.begin(), result.end(), [](const Trial& a, const Trial& b) { return a.worth > b.worth; });
  return result;
}

}  // namespace adcl::select
