#include "search/racing.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "core/error.hpp"

namespace adcl::search {

namespace {

constexpr int heat_counted = 2;     ///< executions of a block of the heats
constexpr int smallest_field = 10;  ///< candidates that the budget counts at least

/// Splitmix64: the same sequence everywhere, which the shuffles of the standard library do not promise.
std::uint64_t mixed(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15U;
  std::uint64_t value = state;
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31U);
}

void shuffle(std::vector<int>& members, int seed) {
  auto state = static_cast<std::uint64_t>(seed);
  for (std::size_t i = members.size(); i > 1; --i) {
    std::swap(members[i - 1], members[mixed(state) % i]);
  }
}

}  // namespace

Racing::Racing(std::vector<Candidate> candidates, AttributeSet attributes, const Parameters& parameters)
    : BatchSearch(std::move(candidates), std::move(attributes), parameters),
      runners_(static_cast<std::size_t>(count())) {}

void Racing::forget() {
  runners_.assign(runners_.size(), {});
  stage_ = Stage::start;
  round_ = 0;
  batch_ = 0;
  starts_ = 0.0;
  concluding_ = false;
}

void Racing::advance() {
  if (stage_ == Stage::start) {
    budget_ = static_cast<double>(measurements()) * std::max(smallest_field, static_cast<int>(unmeasured().size()));
    stage_ = Stage::first_look;
    const std::vector<int> first = representatives();
    if (first.size() > 1) {
      look_at(first);
      return;
    }
  }
  if (stage_ == Stage::first_look) {
    judge_the_first_look();
    stage_ = Stage::representatives;
    const std::vector<int> first = seen_and_left();
    if (!first.empty()) {
      run_blocks(first, heat_counted);
      return;
    }
  }
  if (stage_ == Stage::representatives) {
    judge_the_representatives();
    stage_ = Stage::heats;
  }
  if (stage_ == Stage::rounds && runners().empty()) {
    // All that ran were dropped; who was ruled out has another chance.
    stage_ = Stage::heats;
  }
  if (stage_ == Stage::heats) {
    std::vector<int> rest = unmeasured();
    if (!rest.empty()) {
      run_blocks(std::move(rest), heat_counted);
      return;
    }
    begin_rounds();
  }
  next_round();
}

void Racing::learn(int candidate, const estimate::Numbers& numbers, const Range& range) {
  Runner& known = runner(candidate);
  const bool any = numbers.measurements >= 1.0;
  const double seconds = any ? parameters().estimator->judge(numbers, parameters().options) : missing;
  if (stage_ == Stage::first_look) {
    known.look_s = any ? range.shortest_s : missing;
    return;
  }
  if (stage_ == Stage::rounds) {
    known.rounds.back() = seconds;
  }
  if (!any) {
    if (!known.runs) {
      BatchSearch::learn(candidate, numbers, range);
    }
    return;
  }
  if (!known.runs) {
    known.heat_s = range.shortest_s;
    known.range = range;
  }
  known.range = {std::min(known.range.shortest_s, range.shortest_s), std::max(known.range.longest_s, range.longest_s)};
  known.runs = true;
  estimate::Numbers block = numbers;
  if (parameters().whole_blocks) {
    block.measurements = 1.0;
  }
  known.collected = estimate::pooled(known.collected, block);
  const double raced_s = trimmed_mean(known.rounds);
  const double judged_s = std::isfinite(raced_s) ? raced_s : seconds;
  estimate::Numbers told = known.collected;
  told.filtered_mean_s = judged_s;
  know(candidate, told, judged_s);
}

/// The leader of those that are still in the race; of all when none is.
int Racing::pacemaker() const {
  int best = -1;
  bool best_active = false;
  for (int i = 0; i < count(); ++i) {
    if (!usable(i) || !measured(i)) {
      continue;
    }
    const bool better =
        best < 0 || (active(i) && !best_active) || (active(i) == best_active && judged_s(i) < judged_s(best));
    if (better) {
      best = i;
      best_active = active(i);
    }
  }
  return best;
}

bool Racing::kept_without_evidence() const {
  const int best = pacemaker();
  const int first = first_usable();
  if (best < 0 || first == best || !active(first) || !measured(first)) {
    return false;
  }
  const Difference difference = behind(first, best);
  if (difference.pairs < fewest_pairs) {
    return concluding_ && runner(best).runs && runner(first).runs;
  }
  return (difference.lower(likely) <= 0.0 || difference.upper(likely) < tie * judged_s(best));
}

int Racing::leader() const { return kept_without_evidence() ? first_usable() : pacemaker(); }

/// The paired difference of the two, in seconds; positive when the first is slower.
Difference Racing::behind(int candidate, int other) const {
  return paired_difference(runner(candidate).rounds, runner(other).rounds);
}

/// Those that run in the next round.
std::vector<int> Racing::runners() const {
  std::vector<int> result;
  for (int i = 0; i < count(); ++i) {
    if (usable(i) && active(i) && runner(i).runs) {
      result.push_back(i);
    }
  }
  return result;
}

/// Of what is spent, executions that are lengthened count as those they stand for.
void Racing::run_blocks(std::vector<int> members, int counted) {
  const int executions = std::min(counted, measurements());
  shuffle(members, ++batch_);
  std::vector<Block> blocks;
  blocks.reserve(members.size());
  for (const int member : members) {
    blocks.push_back({member, 1, lengthened(executions)});
  }
  const auto cost = static_cast<double>(blocks.size()) * (executions + 1);
  starts_ += cost;
  share_spent_ += cost;
  run(std::move(blocks));
}

void Racing::look_at(std::vector<int> members) {
  const int warm_up = members.front();
  shuffle(members, ++batch_);
  std::vector<Block> blocks{{warm_up, 1, 1}};
  for (const int member : members) {
    if (member != warm_up) {
      blocks.push_back({member, 0, 1});
    }
  }
  run(std::move(blocks));
}

void Racing::begin_rounds() {
  stage_ = Stage::rounds;
  // As many halvings as bring the field down to one.
  const auto halvings = std::bit_width(std::max<std::size_t>(2, runners().size()) - 1);
  share_ = budget_ / static_cast<double>(halvings);
  share_spent_ = starts_;
}

void Racing::next_round() {
  drop_the_hopeless();
  drop_the_separated();
  drop_the_slower();
  if (share_spent_ >= share_) {
    halve();
    share_spent_ = 0.0;
  }
  if (starts_ >= budget_) {
    // The last rounds are for the finalists alone.
    while (runners().size() > static_cast<std::size_t>(finalists)) {
      halve();
    }
  }
  if (ended()) {
    concluding_ = true;
    conclude(end_);
    return;
  }
  ++round_;
  std::vector<int> field = runners();
  for (const int i : field) {
    runner(i).rounds.resize(static_cast<std::size_t>(round_), missing);
  }
  run_blocks(std::move(field), round_counted);
}

std::string Racing::sentence(int winner) const {
  if (!runner(winner).runs) {
    return BatchSearch::sentence(winner);
  }
  const int best = pacemaker();
  const std::string& name = candidate(winner).name;
  const std::string time = duration(judged_s(winner));
  if (winner != best) {
    return text(name, ", the first in the table, is kept: ", behind(winner, best).pairs,
                " rounds side by side do not separate it (", time, ") from the fastest, ", candidate(best).name, " (",
                duration(judged_s(best)), ")");
  }
  int next = -1;
  for (const int i : runners()) {
    next = i != winner && (next < 0 || judged_s(i) < judged_s(next)) ? i : next;
  }
  if (next < 0) {
    return text(name, " is the only one left of ", usable_count(), " candidates, ", time);
  }
  return text(name, " has the lowest time of the ", runners().size(), " left of ", usable_count(), " candidates, ",
              time, "; the next is ", candidate(next).name, " with ", duration(judged_s(next)));
}

std::string Racing::explanation(int loser, int winner) const {
  if (judged_s(loser) >= judged_s(winner)) {
    return BatchSearch::explanation(loser, winner);
  }
  return text("not separated from ", candidate(winner).name, ", the first in the table: ", duration(judged_s(loser)),
              " against ", duration(judged_s(winner)));
}

/// As kept_without_evidence() judges the first of the table.
bool Racing::tied(int candidate, int winner) const {
  const Difference difference = behind(candidate, winner);
  if (difference.pairs < fewest_pairs) {
    return BatchSearch::tied(candidate, winner);
  }
  return difference.lower(likely) <= 0.0 || difference.upper(likely) < tie * judged_s(winner);
}

namespace {

std::unique_ptr<Search> make_racing(std::vector<Candidate> candidates, const AttributeSet& attributes,
                                    const Parameters& parameters) {
  auto search = std::make_unique<Racing>(std::move(candidates), attributes, parameters);
  search->begin();
  return search;
}

}  // namespace

Logic racing() {
  return {"racing",
          "lets all codelets run in short blocks side by side, takes out those that fall behind, and replaces the "
          "first codelet of the table on evidence only",
          "Karnin, Koren and Somekh 2013 (halving), Maron and Moore 1993 (races), paper section V (classes)",
          {measurements_option()},
          make_racing};
}

}  // namespace adcl::search
