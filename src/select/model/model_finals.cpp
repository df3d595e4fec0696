// The final comparison of the model: candidates that may be the fastest run in rounds until their order is clear.
#include <algorithm>
#include <cmath>

#include "core/elementary.hpp"
#include "select/model/model.hpp"
#include "select/model/paired.hpp"

namespace adcl::select {

namespace {

constexpr int uncounted = first_executions;  ///< warm-ups of a block
/// Executions of a stalled candidate per batch, as a part of the starts so far.
constexpr double turn_part = affordable / most_at_once;
constexpr double noticeable = tie / 2.0;  ///< smallest difference of log times, or of stalls / usual time, that counts

}  // namespace

/// Difference of log times, \p candidate minus \p other, in their common rounds.
Difference Model::log_difference(int candidate, int other) const {
  return paired_difference(of(candidate).round_logs, of(other).round_logs);
}

/// Difference of stalls / usual time, \p candidate minus \p other, in their common rounds. A disturbance of both
/// candidates cancels. Excludes the highest and the lowest difference, because a disturbance may affect only one
/// candidate.
Difference Model::stall_difference(int candidate, int other) const {
  return paired_difference(of(candidate).round_means, of(other).round_means, 1);
}

/// Mean difference of stalls / usual time in all common rounds.
double Model::stall_surplus(int candidate, int other) const {
  return paired_difference(of(candidate).round_means, of(other).round_means, 0).mean;
}

/// Log time of the first candidate of the table minus that of \p candidate; infinity if the first has no time.
double Model::ahead_of_first(int candidate) const {
  const int first = first_runnable();
  return is_measured(first) ? logarithm(judged_s(first) / std::max(judged_s(candidate), 1e-9)) : infinity;
}

/// Whether \p candidate was at most 1 % slower than the winner in their rounds, including stalls.
bool Model::is_tied(int candidate, int winner) const {
  const Difference gap = log_difference(candidate, winner);
  if (gap.pairs < fewest_pairs) {
    return BatchSearch::is_tied(candidate, winner);
  }
  const double whole =
      gap.mean + std::max({0.0, stall_surplus(candidate, winner), stall_difference(candidate, winner).mean});
  return whole <= noticeable;
}

/// The fastest candidate. At the end of the search, the first of the table unless the fastest takes at least 2 % less
/// time, or else the first candidate that is tied with the fastest, so that repeated programs decide alike.
int Model::leader() const {
  const int best = fastest();
  if (best < 0 || !concluding_) {
    return best;
  }
  if (ahead_of_first(best) <= tie) {
    return first_runnable();
  }
  for (int i = 0; i < best; ++i) {
    if (can_run(i) && is_active(i) && log_difference(i, best).pairs >= fewest_pairs && is_tied(i, best)) {
      return i;
    }
  }
  return best;
}

/// Candidates that may be the fastest: all within 15 % of the best, and the first of the table unless the best is
/// significantly faster. If there are too many, selects the lowest usual times, because a disturbance causes different
/// stalls in each candidate.
std::vector<int> Model::choose_finalists() const {
  const int best = fastest();
  const int first = first_runnable();
  const auto blocks = [this](int i) { return std::max(1.0, static_cast<double>(of(i).logs.size())); };
  const double error = std::sqrt(block_noise_ / blocks(first) + block_noise_ / blocks(best));
  const int reference = ahead_of_first(best) > std::max(tie, far * error) ? best : first;
  std::vector<int> field = candidates_where([&](int i) {
    return can_run(i) && is_active(i) && of(i).ran && (judged_s(i) <= near_best * judged_s(best) || i == reference);
  });
  std::stable_sort(field.begin(), field.end(),
                   [&](int a, int b) { return a == reference || (b != reference && of(a).usual_s < of(b).usual_s); });
  field.resize(std::min<std::size_t>(field.size(), most_at_once));
  std::sort(field.begin(), field.end());
  return field;
}

/// Replaces the judged times of all finalists with their times in the rounds, so that earlier times have no influence.
void Model::judge_by_rounds() {
  int calm = finalists_.front();
  for (const int member : finalists_) {
    calm = stall_difference(member, calm).mean < 0.0 ? member : calm;
  }
  const auto whole = [&](int i) {
    const double stalls = stall_difference(i, calm).mean;
    return logarithm(1.0 + (stalls > noticeable ? stalls : 0.0));
  };
  const int best = lowest(finalists_, [&](int i) { return trimmed_mean(of(i).round_logs) + whole(i); });
  const double best_log = trimmed_mean(of(best).round_logs);
  for (int i = 0; i < count(); ++i) {
    const Difference gap = log_difference(i, best);
    if (gap.pairs >= fewest_pairs) {
      measure::Numbers judged = of(i).collected;
      judged.filtered_mean_s = exponential(best_log + (i == best ? 0.0 : gap.mean) + whole(i));
      set_results(i, judged, judged.filtered_mean_s);
    }
  }
}

/// Candidates that are slower than the best only because of stalls, which may come from a disturbance.
std::vector<int> Model::slower_by_stalls(int best) const {
  std::vector<int> result = candidates_where([&](int i) {
    const double stalls = of(i).stalls.factor(of(i).usual_s);
    return i != best && can_run(i) && is_active(i) && of(i).ran && stalls > 1.0 && stalls < hopeless_times &&
           of(i).usual_s < judged_s(best) && judged_s(i) > judged_s(best);
  });
  std::sort(result.begin(), result.end(), [this](int a, int b) { return of(a).usual_s < of(b).usual_s; });
  result.resize(std::min<std::size_t>(result.size(), most_at_once - 1));
  return result;
}

/// Measures the stalls of stalled candidates and of the best candidate anew, in several batches. Repeats the
/// measurement each time the number of starts has doubled, because a disturbance may have ended. Returns whether a
/// batch was started.
bool Model::rerun_stalled(int best) {
  if (rerunning_.empty()) {
    if (starts_ < next_rerun_ || !of(best).ran) {
      return false;
    }
    rerunning_ = slower_by_stalls(best);
    if (rerunning_.empty()) {
      return false;
    }
    next_rerun_ = 2.0 * starts_;
    rerun_executions_ = std::max(static_cast<int>(starts_ * turn_part), block_length(most_at_once));
    rerunning_.push_back(best);
    for (const int member : rerunning_) {
      of(member).stalls = {};
    }
  }
  if (reruns_++ == most_at_once) {
    rerunning_.clear();
    reruns_ = 0;
    return false;
  }
  std::vector<Block> blocks;
  for (const int member : rerunning_) {
    blocks.push_back({member, 1, rerun_executions_});
  }
  start(std::move(blocks));
  return true;
}

/// Removes finalists that can no longer be the fastest.
void Model::remove_slow_finalists() {
  const int best = lowest(finalists_, [this](int i) { return judged_s(i); });
  std::erase_if(finalists_, [&](int member) {
    const Difference gap = log_difference(member, best);
    // If stalls of the best may outweigh the difference, more rounds are necessary.
    const double stalls =
        logarithm(of(best).stalls.factor(of(best).usual_s) + std::max(0.0, stall_surplus(best, member)));
    const bool slower = gap.mean > noticeable + stalls && gap.lower() > noticeable / 2.0;
    const Difference more = stall_difference(member, best);
    const bool stalling = more.mean > noticeable && more.lower() > 0.0;
    return !can_run(member) || (member != best && (slower || stalling));
  });
}

/// Starts a round of the finalists if their order is not clear and fewer than \p most rounds ran. Returns whether a
/// round was started.
bool Model::compare_finalists(int most) {
  if (rounds_ > 0 && of(fastest()).ran &&
      of(fastest()).round_logs.empty()) {  // a new fastest candidate was in no round
    std::for_each(trials_.begin(), trials_.end(), [](Trials& known) {
      known.round_logs.clear();
      known.round_means.clear();
    });
    rounds_ = 0;
  }
  if (rounds_ == 0) {
    finalists_ = choose_finalists();
  } else {
    std::erase_if(finalists_, [this](int member) { return !can_run(member); });
    if (rounds_ >= 2 * fewest_pairs && !finalists_.empty()) {
      judge_by_rounds();
      remove_slow_finalists();
    }
  }
  const auto close = [this](int member) {
    const Difference gap = log_difference(member, finalists_.front());
    const bool alike = gap.upper() < noticeable && gap.lower() > -noticeable;
    return member == finalists_.front() || (alike && of(member).stalls.factor(of(member).usual_s) < 1.0 + tie &&
                                            std::abs(stall_surplus(member, finalists_.front())) < tie);
  };
  const bool as_good = rounds_ >= 2 * fewest_pairs && std::all_of(finalists_.begin(), finalists_.end(), close);
  comparing_ = rounds_ < most && finalists_.size() > 1 && !as_good;
  if (!comparing_) {
    return false;
  }
  ++rounds_;
  std::vector<int> order = finalists_;
  std::rotate(order.begin(), order.begin() + rounds_ % static_cast<int>(order.size()), order.end());
  std::vector<Block> blocks;
  for (const int member : order) {
    blocks.push_back({member, uncounted, block_length(std::min(final_executions, measurements()))});
  }
  start(std::move(blocks));
  return true;
}

}  // namespace adcl::select
