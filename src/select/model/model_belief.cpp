// The model's beliefs, from measurements, from measurements of similar problems, and from correlated candidates.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/elementary.hpp"
#include "core/error.hpp"
#include "select/at.hpp"
#include "select/likeness.hpp"
#include "select/model/model.hpp"

namespace adcl::select {

namespace {

constexpr double noise_weight = 2.0 * first_executions;  ///< measurements: two trials
constexpr double just_behind = 1.0 + tie / 2.0;          ///< times the time of the best so far: judged just behind it

}  // namespace

/// If a block is one measurement: the candidate ran only in blocks so short that ranks have run ahead.
bool Model::known_by_few(int candidate) const {
  const Trials& known = of(candidate);
  return parameters().whole_blocks && !known.logs.empty() && known.longest <= FewStarts::few;
}

/// Corrects candidates with few starts. A candidate leads if it does so even with its corrected time. Otherwise it is
/// judged to be just behind the fastest candidate with many starts, unless its own time is longer, so that it is tried
/// soon. Candidates that rounds of finalists have judged do not change.
void Model::correct_few_starts() {
  double fastest_s = std::numeric_limits<double>::infinity();
  for (int i = 0; i < count(); ++i) {
    fastest_s = usable(i) && measured(i) && !known_by_few(i) ? std::min(fastest_s, judged_s(i)) : fastest_s;
  }
  const double times = exponential(few_starts_.correction());
  for (int i = 0; i < count(); ++i) {
    if (usable(i) && known_by_few(i) && of(i).side_by_side.empty()) {
      const double told_s = of(i).usual_s * of(i).stalls.factor(of(i).usual_s);
      know(i, knowledge()[at(i)].numbers, std::max(told_s, std::min(told_s * times, just_behind * fastest_s)));
    }
  }
}

/// Error of the logarithm of a time from few starts, besides noise: that of the correction.
double Model::doubt_of_few(int candidate) const {
  return known_by_few(candidate) ? few_starts_.correction() / 2.0 : 0.0;
}

/// Computes the noise from the blocks of each candidate, and then the beliefs about all candidates.
void Model::update() {
  double squares = noise_weight * usual_noise * usual_noise;
  double freedom = noise_weight;
  for (const Trials& known : trials_) {
    if (known.logs.size() < 2) {
      continue;
    }
    squares += known.squares;
    freedom += static_cast<double>(known.logs.size() - 1);
  }
  block_noise_ = squares / freedom;
  const std::vector<Observation> observed = observations();
  const double doubt =
      !anything_expected_
          ? 1.0
          : std::clamp(prior_part * power(std::max(starts_, 1.0) * prior_part / usual_first, prior_part), prior_part,
                       1.0);
  // Where measured times differ from the priors by more than expected, the priors count for less.
  const double surprise = belief_.observe(observed, doubt * doubt);
  if (anything_expected_ && surprise > 1.0) {
    belief_.observe(observed, std::min(doubt * doubt * surprise, 1.0));
  }
}

/// Measured candidates, with the first of the table first; then measurements of similar problems for the others.
std::vector<Observation> Model::observations() const {
  std::vector<Observation> result;
  const int first = first_usable();
  const auto add = [&](int i) {
    if (usable(i) && measured(i)) {
      const double blocks = std::max(1.0, static_cast<double>(of(i).logs.size()));
      const double doubt = doubt_of_few(i);
      result.push_back({i, logarithm(std::max(judged_s(i), 1e-9)), block_noise_ / blocks + doubt * doubt});
    }
  };
  add(first);
  for (int i = 0; i < count(); ++i) {
    if (i != first) {
      add(i);
    }
  }
  const int best = fastest();
  for (int i = 0; i < count() && best >= 0; ++i) {
    if (usable(i) && !measured(i) && std::isfinite(told_of(i))) {
      const double of_best = std::isfinite(told_of(best)) ? told_of(best) : 0.0;
      const double behind = expected_mean(candidate(i)) - expected_mean(candidate(best)) + told_of(i) - of_best;
      const double error = told_[at(i)].error;
      result.push_back({i, logarithm(std::max(judged_s(best), 1e-9)) + behind, error * error + block_noise_});
    }
  }
  return result;
}

bool Model::advise(std::span<const Told> told) {
  require(told.size() == trials_.size(), Code::argument, "advise() with ", told.size(), " entries for ", trials_.size(),
          " candidates");
  told_.assign(told.begin(), told.end());
  return true;
}

double Model::told_of(int candidate) const {
  return told_.empty() ? std::numeric_limits<double>::quiet_NaN() : told_[at(candidate)].beyond;
}

/// It was measured for similar problems, and its estimate here is too slow for a comparison.
bool Model::hopeless_by_advice(int candidate) const {
  return std::isfinite(told_of(candidate)) && !measured(candidate) &&
         belief_.mean(candidate) - belief_.mean(fastest()) > 2.0 * own_spread;
}

double Model::believed(int candidate) const {
  const bool nothing = fastest() < 0 || measured(candidate) || !usable(candidate);
  return nothing ? std::numeric_limits<double>::quiet_NaN() : belief_.mean(candidate);
}

}  // namespace adcl::select
