// What a trial is worth to the model, and what it costs.
#include <algorithm>
#include <cmath>

#include "core/elementary.hpp"

#include "search/model.hpp"

namespace adcl::search {

namespace {

constexpr double usual_first_cost = 30.0;  ///< executions of the leader, until one is known

}  // namespace

/// What a first trial costs besides its executions, in seconds: the median of those of its class, or of all.
double Model::first_cost(int candidate) const {
  std::vector<double> alike;
  std::vector<double> all;
  for (int i = 0; i < count(); ++i) {
    if (!of(i).ran || of(i).first_s <= 0.0) {
      continue;
    }
    all.push_back(of(i).first_s);
    for (std::size_t j = 0; j < attributes().size(); ++j) {
      if (!class_of(i, j).empty() && class_of(i, j) == class_of(candidate, j)) {
        alike.push_back(of(i).first_s);
        break;
      }
    }
  }
  std::vector<double>& known = alike.empty() ? all : alike;
  if (known.empty()) {
    return usual_first_cost * judged_s(fastest());
  }
  const auto middle = known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2);
  std::nth_element(known.begin(), middle, known.end());
  return *middle;
}

/// The number of executions that is worth most.
Model::Trial Model::best_trial(int candidate, double starts_to_come) const {
  const int best = fastest();
  const double leader_s = judged_s(best);
  const double mean = belief_.mean(candidate);
  const double variance = belief_.variance(candidate);
  double rival = belief_.mean(best);
  if (candidate == best) {
    rival = HUGE_VAL;
    for (int i = 0; i < count(); ++i) {
      rival = i != best && usable(i) && measured(i) ? std::min(rival, belief_.mean(i)) : rival;
    }
  }
  const double slower = exponential(std::min(mean - belief_.mean(best) + variance / 2.0, 7.0));
  const double once = of(candidate).ran ? slower : first_cost(candidate) / leader_s + slower - 1.0;
  Trial chosen{candidate, 0, -HUGE_VAL};
  for (const int executions : {first_executions, 2 * first_executions, 4 * first_executions}) {
    if (executions > std::max(first_executions, measurements()) ||
        (!of(candidate).ran && executions > first_executions)) {
      break;
    }
    const double error = block_noise_ * (0.5 + 0.5 * first_executions / executions);
    const double step = std::sqrt(variance * variance / (variance + error));
    const double excess = candidate == best ? expected_excess(mean - rival, step) : expected_excess(rival - mean, step);
    const double gain = 1.0 - exponential(-excess);
    const double worth = starts_to_come * gain - once - executions * std::max(slower - 1.0, 0.0);
    if (worth > chosen.worth) {
      chosen = {candidate, executions, worth};
    }
  }
  return chosen;
}

/// Trials that are worth more than they cost, the best ones first.
std::vector<Model::Trial> Model::worthwhile(double starts_to_come) const {
  std::vector<Trial> result;
  for (int i = 0; i < count(); ++i) {
    if (!usable(i) || !active(i) || known_before(i)) {
      continue;
    }
    const Trial trial = best_trial(i, starts_to_come);
    if (trial.worth > 0.0) {
      result.push_back(trial);
    }
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Trial& a, const Trial& b) { return a.worth > b.worth; });
  return result;
}

}  // namespace adcl::search
