#include "select/model/model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/elementary.hpp"
#include "core/error.hpp"
#include "select/prior.hpp"

namespace adcl::select {

namespace {

constexpr const char* expected_name = "ADCL_EXPECTED_STARTS";

constexpr double longest_wait = 1.0 / shortest_wait - 1;  ///< in multiples of the starts so far
/// Longest block from which the cost of an agreement can be measured, in executions.
constexpr int few_executions = 2 * (first_executions + final_executions);

}  // namespace

Model::Model(std::vector<Candidate> candidates, AttributeSet attributes, const Parameters& parameters)
    : BatchSearch(std::move(candidates), std::move(attributes), parameters),
      trials_(at(count())),
      belief_(prior_means(all_candidates()), prior_covariance(all_candidates(), this->attributes())),
      has_priors_(std::any_of(all_candidates().begin(), all_candidates().end(),
                              [](const Candidate& c) { return std::isfinite(c.expected.log_time); })),
      expected_starts_(parameters.options.integer(expected_name)) {}

void Model::reset() {
  trials_.assign(trials_.size(), {});
  starts_ = 0.0;
  agreements_s_.clear();
  short_blocks_ = {};
  rounds_ = 0;
  finalists_.clear();
  rerunning_.clear();
  reruns_ = 0;
  next_rerun_ = 0.0;
  comparing_ = false;
  concluding_ = false;
}

void Model::take_results(int candidate, const measure::Numbers& numbers, const BlockCost& cost) {
  Trials& known = of(candidate);
  if (numbers.measurements < 1.0) {
    if (!known.ran) {
      BatchSearch::take_results(candidate, numbers, cost);
    }
    return;
  }
  const double seconds = parameters().estimator->judge(numbers, parameters().options);
  if (!known.ran) {
    known.first_cost_s = std::max(0.0, cost.spent_s - numbers.measurements * numbers.mean_s);
  }
  if (known.ran && cost.executions <= block_length(few_executions)) {
    agreements_s_.push_back(std::max(0.0, cost.spent_s - cost.executions * numbers.mean_s));
  }
  known.ran = true;
  known.collected = measure::pool(known.collected, numbers);
  // With few executions, a disturbance affects the shortest time less than the mean.
  const double block_s = numbers.measurements <= first_executions ? cost.shortest_s : seconds;
  const double log_s = logarithm(std::max(block_s, 1e-9));
  if (only_short_blocks(candidate) && numbers.measurements > ShortBlocks::limit) {
    short_blocks_.add(log_s - known.logs[(known.logs.size() - 1) / 2]);
    known.logs.clear();  // ranks ran ahead in short blocks
  }
  known.longest = std::max(known.longest, numbers.measurements);
  known.logs.insert(std::upper_bound(known.logs.begin(), known.logs.end(), log_s), log_s);
  const double middle = known.logs[(known.logs.size() - 1) / 2];
  known.squares = 0.0;
  for (const double value : known.logs) {
    const double off = std::min(std::abs(value - middle), own_spread);
    known.squares += off * off;
  }
  const double limit = middle + far * std::sqrt(std::max(block_noise_, usual_noise * usual_noise));
  double sum = 0.0;
  for (const double value : known.logs) {
    sum += std::min(value, limit);
  }
  const double usual_s = exponential(sum / static_cast<double>(known.logs.size()));
  known.usual_s = usual_s;
  if (usual_s >= long_operation_s) {
    known.stalls.add(numbers.measurements, numbers.mean_s, usual_s);
  }
  measure::Numbers judged = known.collected;
  judged.filtered_mean_s = usual_s * known.stalls.factor(usual_s);
  set_results(candidate, judged, judged.filtered_mean_s);
  if (comparing_) {
    known.round_logs.resize(static_cast<std::size_t>(rounds_), unknown);
    // If a block is one measurement, Stalls accounts for times far beyond the usual time.
    const double calm_s = parameters().whole_blocks ? std::min(seconds, exponential(limit)) : seconds;
    known.round_logs.back() = logarithm(std::max(calm_s, 1e-9));
    known.round_means.resize(static_cast<std::size_t>(rounds_), unknown);
    known.round_means.back() = usual_s >= long_operation_s
                                   ? 1.0 + (numbers.mean_s - (parameters().whole_blocks ? calm_s : usual_s)) / usual_s
                                   : 1.0;
  }
}

/// Number of counted executions of a trial; few in the first trial of a candidate, since it may stall.
int Model::counted_of(const Trial& trial) const {
  const int counted = block_length(std::min(trial.executions, measurements()));
  return of(trial.candidate).ran ? counted : std::min(counted, static_cast<int>(ShortBlocks::limit));
}

/// Whether the results of the candidate come from prime(). It is not measured again.
bool Model::is_primed(int candidate) const { return is_measured(candidate) && !of(candidate).ran; }

void Model::begin_trials(const std::vector<Trial>& trials) {
  std::vector<Block> blocks;
  const int best = fastest();
  bool again = false;
  bool with_leader = false;
  for (std::size_t i = 0; i < std::min<std::size_t>(trials.size(), most_at_once); ++i) {
    const Trial& trial = trials[i];
    blocks.push_back({trial.candidate, 1, counted_of(trial)});
    again = again || of(trial.candidate).ran;
    with_leader = with_leader || trial.candidate == best;
  }
  const int first = first_runnable();
  const bool listed = std::any_of(blocks.begin(), blocks.end(), [&](const Block& b) { return b.candidate == first; });
  if (!is_measured(first) && is_active(first) && !listed && !ruled_out_by_peers(first)) {
    blocks.push_back({first, 1, counted_of({first, first_executions})});
  }
  if (again && !with_leader && of(best).ran) {
    // If both are in the same batch, a disturbance affects both and cancels.
    blocks.push_back({best, 1, blocks.front().counted});
  }
  start(std::move(blocks));
}

/// Calls run(), and counts the starts.
void Model::start(std::vector<Block> blocks) {
  for (const Block& block : blocks) {
    starts_ += block.uncounted + block.counted;
  }
  run(std::move(blocks));
}

void Model::advance() {
  comparing_ = false;
  correct_short_blocks();
  const int best = fastest();
  if (best < 0) {
    std::vector<int> rest = unmeasured();
    std::stable_sort(rest.begin(), rest.end(),
                     [this](int a, int b) { return prior_mean(candidate(a)) < prior_mean(candidate(b)); });
    start({{rest.front(), 1, block_length(std::min(first_executions, measurements()))}});
    return;
  }
  update();
  evaluate_trials();
  const double to_come =
      expected_starts_ > 0.0 ? std::max(expected_starts_ - starts_, 0.0) : std::max(starts_, usual_first);
  const std::vector<Trial> now = worthwhile(to_come);
  if (!now.empty() && starts_ < longest_search) {
    begin_trials(now);
    return;
  }
  const bool nothing_left = expected_starts_ > 0.0 ? now.empty() : possible_trials_.empty();
  if (nothing_left || starts_ >= longest_search) {
    if (expected_starts_ == 0.0 || to_come > 0.0) {
      if (must_try_first(best) || has_few_blocks(best)) {
        wait(best, to_come);
        return;
      }
      if (retry_first(best) || rerun_stalled(best)) {
        return;
      }
      if (!slower_by_stalls(best).empty() && starts_ < longest_search) {
        wait(best, to_come);
        return;
      }
      if (compare_finalists(most_last_rounds)) {
        return;
      }
    }
    concluding_ = true;
    conclude(text("; after ", starts_, " starts, no trial is expected to gain more than it costs"));
    return;
  }
  if (to_come >= short_life && retry_first(best)) {
    return;
  }
  if (to_come >= worth_finals && !must_try_first(best) && compare_finalists(most_rounds)) {
    return;
  }
  wait(best, to_come);
}

/// Whether the first candidate of the table must still be tried. Its trial may cost at most a twentieth of all starts.
bool Model::must_try_first(int best) const {
  const int first = first_runnable();
  return !is_measured(first) && is_active(first) && starts_ < longest_search && first != best &&
         !ruled_out_by_peers(first);
}

/// Whether the best candidate so far has few blocks, so that its low time may be random.
bool Model::has_few_blocks(int best) const {
  const auto blocks = [](const Trials& known) { return known.logs.size(); };
  return of(best).ran && blocks(of(best)) < fewest_pairs && starts_ < longest_search &&
         blocks(of(best)) < std::ranges::max(trials_, {}, blocks).logs.size();
}

/// Repeats the trial of the first candidate of the table before the finalists are chosen, since its first trial may
/// have been disturbed or have had cold caches. Returns whether a batch was started.
bool Model::retry_first(int best) {
  const int first = first_runnable();
  if (first == best || !is_active(first) || of(first).logs.size() != 1 ||
      judged_s(first) > hopeless_times * judged_s(best)) {
    return false;
  }
  begin_trials({{first, first_executions}});
  return true;
}

/// The median cost of an agreement, in seconds.
double Model::agreement_s() const {
  if (agreements_s_.empty()) {
    return 0.0;
  }
  std::vector<double> values = agreements_s_;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Estimated number of starts until the next trial is worth its cost; 0 for long operations, which are measured often
/// because they may stall.
double Model::starts_to_next_trial(int best) const {
  if (judged_s(best) >= long_operation_s) {
    return 0.0;
  }
  double starts = infinity;
  for (const Trial& trial : possible_trials_) {
    if (expected_starts_ == 0.0 && trial.gain > 0.0) {
      starts = std::min(starts, trial.cost / trial.gain);
    }
  }
  if (must_try_first(best)) {
    starts = std::min(
        starts, first_cost_scale() * expected_first_cost(candidate(first_runnable())) / (affordable * judged_s(best)));
  }
  return std::max(starts - starts_, 0.0);
}

/// Runs the best candidate, or the first candidate of the table if its trial is due and affordable.
void Model::wait(int best, double to_come) {
  const int first = first_runnable();
  if (must_try_first(best) &&
      first_cost_scale() * expected_first_cost(candidate(first)) < affordable * starts_ * judged_s(best)) {
    start({{first, 1, counted_of({first, first_executions})}});
    return;
  }
  const double so_far = starts_;
  const double worth_asking =
      std::min(std::max(agreement_s() / (affordable * judged_s(best)), starts_to_next_trial(best)),
               std::max(longest_wait * starts_, usual_first - starts_));
  const int many = only_short_blocks(best) ? static_cast<int>(ShortBlocks::limit) + 1 : 0;
  const double fewest = std::max(ShortBlocks::limit, 1.0 + std::max(block_length(first_executions), many));
  const double wanted = has_few_blocks(best) ? fewest : std::floor(std::max(shortest_wait * starts_, worth_asking));
  const double starts = std::clamp(wanted, fewest, short_life);
  // Time nearly all executions of long operations, to measure their mean including stalls.
  const int timed = judged_s(best) >= long_operation_s ? std::min(enough_to_stall, static_cast<int>(starts) - 1)
                                                       : block_length(std::min(2, measurements()));
  const int counted = of(best).ran ? std::min(timed, static_cast<int>(starts) - 1) : 0;
  start({{best, static_cast<int>(starts) - counted, counted}});
  if (worthwhile(std::max(to_come, short_life)).empty()) {
    set_provisional(text("; provisional after ", so_far, " starts: a longer program would try further candidates"));
  }
}

std::string Model::sentence(int winner) const {
  const auto tried = std::ranges::count(trials_, true, &Trials::ran);
  const int best = fastest();
  if (winner != best) {
    return text(candidate(winner).name,
                winner == first_runnable() ? ", the first in the table," : ", earlier in the table,",
                " is kept: its time (", duration(judged_s(winner)), ") is not measurably longer than the time of ",
                candidate(best).name, " (", duration(judged_s(best)), ")");
  }
  if (tried == 1) {
    return text(candidate(winner).name, ", which was expected to be the fastest, is the only one of ", runnable_count(),
                " candidates that was tried: ", duration(judged_s(winner)));
  }
  return text(candidate(winner).name, " has the lowest time of the ", tried, " of ", runnable_count(),
              " candidates that were tried: ", duration(judged_s(winner)));
}

Logic model() {
  return {"model",
          "runs a trial if the gain that a model of the attributes predicts exceeds the cost of the trial",
          "Frazier, Powell and Dayanik, INFORMS Journal on Computing 21 (2009)",
          {measurements_option(), Option::integer(expected_name, 0, 2000000000, "0",
                                                  "model: expected number of starts of a request; 0: unknown")},
          make_search<Model>,
          true};
}

}  // namespace adcl::select
