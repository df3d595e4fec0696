// What a trial is worth to the model, and what it costs.
#include <algorithm>
#include <cmath>

#include "core/elementary.hpp"

#include "search/model.hpp"

namespace adcl::search {

namespace {

constexpr double hopeless = 7.0;           ///< standard deviations behind: it gains nothing
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

/// What trials may gain per start and what they cost, for each number of executions.
void Model::weigh_trials() {
  offers_.clear();
  const int best = fastest();
  const double leader_s = judged_s(best);
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
    if (behind > hopeless * std::sqrt(variance)) {
      continue;
    }
    const double slower = exponential(std::min(mean - belief_.mean(best) + variance / 2.0, 7.0));
    const double once = of(i).ran ? slower : first_cost(i) / leader_s + slower - 1.0;
    for (const int executions : {first_executions, 2 * first_executions, 4 * first_executions}) {
      if (executions > std::max(first_executions, measurements()) || (!of(i).ran && executions > first_executions)) {
        break;
      }
      const double error = block_noise_ * (0.5 + 0.5 * first_executions / executions);
      const double step = std::sqrt(variance * variance / (variance + error));
      const double gain = 1.0 - exponential(-expected_excess(-behind, step));
      offers_.push_back({i, executions, gain, once + executions * std::max(slower - 1.0, 0.0)});
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

}  // namespace adcl::search
