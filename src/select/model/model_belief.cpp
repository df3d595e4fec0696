// The beliefs of the model: observations from this search and from similar problems, and the noise.
#include <algorithm>
#include <cmath>

#include "core/elementary.hpp"
#include "core/error.hpp"
#include "select/model/model.hpp"
#include "select/prior.hpp"

namespace adcl::select {

namespace {

constexpr double noise_weight = 2.0 * first_executions;  ///< weight of usual_noise, in blocks
constexpr double just_behind = 1.0 + tie / 2.0;  ///< judged time of a likely leader, in multiples of the fastest

}  // namespace

/// Whether the candidate ran only in short blocks, in which ranks run ahead of each other.
bool Model::only_short_blocks(int candidate) const {
  const Trials& known = of(candidate);
  return parameters().whole_blocks && !known.logs.empty() && known.longest <= ShortBlocks::limit;
}

/// Corrects candidates with short blocks only. A candidate leads only if its corrected time is the lowest. Otherwise
/// its judged time is slightly above the judged time of the fastest candidate with long blocks (or its own uncorrected
/// time, if longer). The search then tries it soon. Does not change candidates that were judged by rounds of finalists.
void Model::correct_short_blocks() {
  double fastest_s = infinity;
  for (int i = 0; i < count(); ++i) {
    fastest_s = can_run(i) && is_measured(i) && !only_short_blocks(i) ? std::min(fastest_s, judged_s(i)) : fastest_s;
  }
  const double times = exponential(short_blocks_.correction());
  for (int i = 0; i < count(); ++i) {
    if (can_run(i) && only_short_blocks(i) && of(i).round_logs.empty()) {
      const double own_s = of(i).usual_s * of(i).stalls.factor(of(i).usual_s);
      set_results(i, knowledge()[at(i)].numbers, std::max(own_s, std::min(own_s * times, just_behind * fastest_s)));
    }
  }
}

/// Standard error of the correction of short blocks.
double Model::short_block_error(int candidate) const {
  return only_short_blocks(candidate) ? short_blocks_.correction() / 2.0 : 0.0;
}

/// Updates the noise from the blocks of each candidate, and then the beliefs about all candidates.
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
  const double prior_scale =
      !has_priors_ ? 1.0
                   : std::clamp(prior_part * power(std::max(starts_, 1.0) * prior_part / usual_first, prior_part),
                                prior_part, 1.0);
  // If measured times differ from the priors by more than expected, give the priors less weight.
  const double variance_ratio = belief_.observe(observed, prior_scale * prior_scale);
  if (has_priors_ && variance_ratio > 1.0) {
    belief_.observe(observed, std::min(prior_scale * prior_scale * variance_ratio, 1.0));
  }
}

/// Observations of all measured candidates, the first of the table first, then measurements of similar problems for
/// other candidates.
std::vector<Observation> Model::observations() const {
  std::vector<Observation> result;
  const int first = first_runnable();
  const auto add = [&](int i) {
    if (can_run(i) && is_measured(i)) {
      const double blocks = std::max(1.0, static_cast<double>(of(i).logs.size()));
      const double correction_error = short_block_error(i);
      result.push_back(
          {i, logarithm(std::max(judged_s(i), 1e-9)), block_noise_ / blocks + correction_error * correction_error});
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
    if (can_run(i) && !is_measured(i) && std::isfinite(peer_log_excess(i))) {
      const double of_best = std::isfinite(peer_log_excess(best)) ? peer_log_excess(best) : 0.0;
      const double behind = prior_mean(candidate(i)) - prior_mean(candidate(best)) + peer_log_excess(i) - of_best;
      const double error = peers_[at(i)].error;
      result.push_back({i, logarithm(std::max(judged_s(best), 1e-9)) + behind, error * error + block_noise_});
    }
  }
  return result;
}

bool Model::set_peer_measurements(std::span<const PeerMeasurement> measurements) {
  require(measurements.size() == trials_.size(), Code::argument, "set_peer_measurements() with ", measurements.size(),
          " entries for ", trials_.size(), " candidates");
  peers_.assign(measurements.begin(), measurements.end());
  return true;
}

double Model::peer_log_excess(int candidate) const {
  return peers_.empty() ? unknown : peers_[at(candidate)].log_excess;
}

/// Whether measurements of similar problems show that the candidate is too slow for a comparison.
bool Model::ruled_out_by_peers(int candidate) const {
  return std::isfinite(peer_log_excess(candidate)) && !is_measured(candidate) &&
         belief_.mean(candidate) - belief_.mean(fastest()) > 2.0 * own_spread;
}

double Model::estimated_log_time(int candidate) const {
  const bool nothing = fastest() < 0 || is_measured(candidate) || !can_run(candidate);
  return nothing ? unknown : belief_.mean(candidate);
}

}  // namespace adcl::select
