// The model's protection of the first candidate of the table: before another one leads for good, both run side by side.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/elementary.hpp"
#include "select/model/model.hpp"

namespace adcl::select {

namespace {

constexpr int rounds = fewest_pairs;
constexpr int executions = 2 * first_executions;  ///< counted executions of each block
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

/// Whether \p best leads without having run side by side with the first candidate of the table, which may have been
/// measured with cold caches or disturbed by another program.
bool Model::unchallenged(int best) const {
  const int first = first_usable();
  return best != first && active(first) && of(first).ran && of(best).ran && starts_ < longest_search &&
         judged_s(first) <= hopeless_times * judged_s(best) && !(challenge_.leader == best && challenge_.over);
}

/// Begins a round of the challenge if that is affordable. All ranks take the same branch: judged times were reduced
/// over the ranks, and the rest are start counts.
bool Model::challenge(int best) {
  if (!unchallenged(best)) {
    return false;
  }
  if (challenge_.leader != best) {
    challenge_ = {.leader = best, .spent = challenge_.spent};
  }
  const int first = first_usable();
  const int counted = lengthened(std::min(executions, measurements()));
  const double cost = (1.0 + counted) * std::max(judged_s(first) / judged_s(best) - 1.0, 0.0);
  if (challenge_.spent + cost > tie * starts_) {
    return false;
  }
  challenge_.spent += cost;
  challenge_.first_log = challenge_.leader_log = unknown;
  challenge_.running = true;
  starts_ += 2.0 * (1.0 + counted);
  const bool leader_begins = challenge_.behind.size() % 2 == 0;
  run({{leader_begins ? best : first, 1, counted}, {leader_begins ? first : best, 1, counted}});
  return true;
}

/// Records a block of the current round.
void Model::note_challenge(int candidate, double log_s) {
  if (challenge_.running) {
    (candidate == challenge_.leader ? challenge_.leader_log : challenge_.first_log) = log_s;
  }
}

/// Evaluates the completed round. The challenge ends after three rounds, or after a first one that is clear. After
/// three rounds, the median of the differences is how far the first candidate is behind the leader, since one round may
/// contain a stall. It replaces what was measured of the first candidate at other moments.
void Model::end_round_of_challenge() {
  const int first = first_usable();
  if (!std::exchange(challenge_.running, false) || !std::isfinite(challenge_.first_log - challenge_.leader_log)) {
    return;
  }
  std::vector<double>& behind = challenge_.behind;
  behind.push_back(challenge_.first_log - challenge_.leader_log);
  if (behind.size() == 1 && behind.front() > hopeless_deviations * std::sqrt(2.0 * block_noise_)) {
    challenge_.over = true;
    return;
  }
  if (behind.size() < rounds) {
    return;
  }
  challenge_.over = true;
  std::sort(behind.begin(), behind.end());
  Trials& known = of(first);
  const double leader_log = logarithm(std::max(of(challenge_.leader).usual_s, 1e-9));
  known.logs.clear();
  known.squares = 0.0;
  for (const double difference : behind) {
    known.logs.push_back(leader_log + difference);
    known.squares += (difference - behind[rounds / 2]) * (difference - behind[rounds / 2]);
  }
  known.usual_s = exponential(known.logs[rounds / 2]);
  measure::Numbers told = known.collected;
  told.filtered_mean_s = known.usual_s * known.stalls.factor(known.usual_s);
  know(first, told, told.filtered_mean_s);
}

}  // namespace adcl::select
