// The model's final comparison: candidates that may be the fastest run side by side until their order is clear.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/elementary.hpp"
#include "select/model/model.hpp"
#include "select/model/paired.hpp"

namespace adcl::select {

namespace {

constexpr int most_rounds = enough_to_stall / final_executions;
constexpr int uncounted = first_executions;  ///< executions at the start of a block
/// Part of the starts so far that each turn of stalled candidates takes.
constexpr double turn_part = affordable / most_at_once;
constexpr double noticeable = tie / 2.0;  ///< difference of log times, or of stalls in usual times

}  // namespace

/// Logarithm of how much longer \p candidate takes than \p other, in the rounds of both.
Difference Model::behind(int candidate, int other) const {
  return paired_difference(of(candidate).side_by_side, of(other).side_by_side);
}

/// By how much the stalls of one candidate exceed those of the other, in usual times, in the rounds of both. A
/// disturbance of both cancels. The highest and the lowest difference are left out, since they may come from a
/// disturbance of one.
Difference Model::stalls_more(int candidate, int other) const {
  return paired_difference(of(candidate).means_in_rounds, of(other).means_in_rounds, 1);
}

/// The same, with no difference left out.
double Model::surplus(int candidate, int other) const {
  return paired_difference(of(candidate).means_in_rounds, of(other).means_in_rounds, 0).mean;
}

/// The evidence shows that \p candidate is at least 2 % faster than the first one, and not by chance.
bool Model::ahead_of_first(int candidate) const {
  const int first = first_usable();
  if (candidate == first || first < 0 || !measured(first)) {
    return true;
  }
  if (const Difference gap = behind(first, candidate); gap.pairs >= fewest_pairs) {
    if (std::abs(stalls_more(first, candidate).mean) > noticeable) {
      return judged_s(candidate) < judged_s(first);
    }
    return gap.mean > tie && gap.lower() > 0.0;
  }
  const double gap = logarithm(judged_s(first) / std::max(judged_s(candidate), 1e-9));
  const auto blocks = [this](int i) { return std::max(1.0, static_cast<double>(of(i).logs.size())); };
  const double error = std::sqrt(block_noise_ / blocks(first) + block_noise_ / blocks(candidate));
  return gap > tie && gap > far * error;
}

/// The rounds do not show a finalist to be slower than the winner, or show it to be slower by at most 1 %.
bool Model::tied(int candidate, int winner) const {
  const Difference gap = behind(candidate, winner);
  if (gap.pairs < fewest_pairs) {
    return BatchSearch::tied(candidate, winner);
  }
  const double whole = gap.mean + std::max({0.0, surplus(candidate, winner), stalls_more(candidate, winner).mean});
  return whole <= noticeable;
}

/// The fastest candidate. At the end, the first of the table, unless the fastest is ahead of it; then the first
/// candidate that is tied with the fastest.
int Model::leader() const {
  const int best = fastest();
  if (best < 0 || !concluding_) {
    return best;
  }
  if (!ahead_of_first(best)) {
    return first_usable();
  }
  for (int i = 0; i < best; ++i) {
    if (usable(i) && active(i) && behind(i, best).pairs >= fewest_pairs && tied(i, best)) {
      return i;
    }
  }
  return best;
}

/// Candidates that may be the fastest: those within 15 % of the best, and the first of the table until the evidence
/// shows that it is slower. If there are too many, those with the lowest usual times: they include the best one even
/// after a disturbance, which gives each candidate other stalls.
std::vector<int> Model::finalists() const {
  std::vector<int> field;
  const int best = fastest();
  const int doubtful = ahead_of_first(best) ? best : first_usable();
  for (int i = 0; i < count(); ++i) {
    if (usable(i) && active(i) && of(i).ran && (judged_s(i) <= near_best * judged_s(best) || i == doubtful)) {
      field.push_back(i);
    }
  }
  std::stable_sort(field.begin(), field.end(),
                   [&](int a, int b) { return a == doubtful || (b != doubtful && of(a).usual_s < of(b).usual_s); });
  field.resize(std::min<std::size_t>(field.size(), most_at_once));
  std::sort(field.begin(), field.end());
  return field;
}

/// From now on, judges all finalists by their times side by side, so that earlier times do not favor any of them.
void Model::judge_side_by_side() {
  int calm = field_.front();
  for (const int member : field_) {
    calm = stalls_more(member, calm).mean < 0.0 ? member : calm;
  }
  const auto whole = [&](int i) {
    const double stalls = stalls_more(i, calm).mean;
    return logarithm(1.0 + (stalls > noticeable ? stalls : 0.0));
  };
  int best = field_.front();
  for (const int member : field_) {
    if (trimmed_mean(of(member).side_by_side) + whole(member) < trimmed_mean(of(best).side_by_side) + whole(best)) {
      best = member;
    }
  }
  const double best_log = trimmed_mean(of(best).side_by_side);
  for (int i = 0; i < count(); ++i) {
    const Difference gap = behind(i, best);
    if (gap.pairs >= fewest_pairs) {
      measure::Numbers told = of(i).collected;
      told.filtered_mean_s = exponential(best_log + (i == best ? 0.0 : gap.mean) + whole(i));
      know(i, told, told.filtered_mean_s);
    }
  }
}

/// Candidates that are slower only because of stalls, which may come from a disturbance.
std::vector<int> Model::behind_by_stalls(int best) const {
  std::vector<int> result;
  for (int i = 0; i < count(); ++i) {
    const double stalls = of(i).stalls.factor(of(i).usual_s);
    if (i != best && usable(i) && active(i) && of(i).ran && stalls > 1.0 && stalls < hopeless_times &&
        of(i).usual_s < judged_s(best) && judged_s(i) > judged_s(best)) {
      result.push_back(i);
    }
  }
  std::sort(result.begin(), result.end(), [this](int a, int b) { return of(a).usual_s < of(b).usual_s; });
  result.resize(std::min<std::size_t>(result.size(), most_at_once - 1));
  return result;
}

/// Runs the stalled candidates and the best one in turns and replaces their stalls by those seen there. Repeats this
/// each time the starts have doubled, until a disturbance is over. Returns whether a batch was started.
bool Model::rerun_stalled(int best) {
  if (rerun_.empty()) {
    if (starts_ < next_rerun_ || !of(best).ran) {
      return false;
    }
    rerun_ = behind_by_stalls(best);
    if (rerun_.empty()) {
      return false;
    }
    next_rerun_ = 2.0 * starts_;
    rerun_executions_ = std::max(static_cast<int>(starts_ * turn_part), lengthened(most_at_once));
    rerun_.push_back(best);
    for (const int member : rerun_) {
      of(member).stalls = {};
    }
  }
  if (reruns_++ == most_at_once) {
    rerun_.clear();
    reruns_ = 0;
    return false;
  }
  std::vector<Block> blocks;
  for (const int member : rerun_) {
    blocks.push_back({member, 1, rerun_executions_});
    starts_ += 1.0 + rerun_executions_;
  }
  run(std::move(blocks));
  return true;
}

/// Removes finalists that can no longer be the fastest.
void Model::thin_out() {
  const int best =
      *std::min_element(field_.begin(), field_.end(), [this](int a, int b) { return judged_s(a) < judged_s(b); });
  std::erase_if(field_, [&](int member) {
    const Difference gap = behind(member, best);
    // While stalls of the best one may outweigh the difference, more rounds are needed.
    const double stalls = logarithm(of(best).stalls.factor(of(best).usual_s) + std::max(0.0, surplus(best, member)));
    const bool behind_it = gap.mean > noticeable + stalls && gap.lower() > noticeable / 2.0;
    const Difference more = stalls_more(member, best);
    const bool stalling = more.mean > noticeable && more.lower() > 0.0;
    return !usable(member) || (member != best && (behind_it || stalling));
  });
}

/// Starts a round of finalists if their order is not clear yet. Returns false if it is, or if there is nothing to
/// compare.
bool Model::compare_finalists() {
  if (rounds_ > 0 && of(fastest()).ran &&
      of(fastest()).side_by_side.empty()) {  // it became the fastest after the last round
    std::for_each(trials_.begin(), trials_.end(), [](Trials& known) {
      known.side_by_side.clear();
      known.means_in_rounds.clear();
    });
    rounds_ = 0;
  }
  if (rounds_ == 0) {
    field_ = finalists();
  } else {
    std::erase_if(field_, [this](int member) { return !usable(member); });
    if (rounds_ >= 2 * fewest_pairs && !field_.empty()) {
      judge_side_by_side();
      thin_out();
    }
  }
  const auto close = [this](int member) {
    const Difference gap = behind(member, field_.front());
    const bool alike = gap.upper() < noticeable && gap.lower() > -noticeable;
    return member == field_.front() || (alike && of(member).stalls.factor(of(member).usual_s) < 1.0 + tie &&
                                        std::abs(surplus(member, field_.front())) < tie);
  };
  const bool as_good = rounds_ >= 2 * fewest_pairs && std::all_of(field_.begin(), field_.end(), close);
  comparing_ = rounds_ < most_rounds && field_.size() > 1 && !as_good;
  if (!comparing_) {
    return false;
  }
  ++rounds_;
  std::vector<int> order = field_;
  std::rotate(order.begin(), order.begin() + rounds_ % static_cast<int>(order.size()), order.end());
  std::vector<Block> blocks;
  for (const int member : order) {
    blocks.push_back({member, uncounted, lengthened(std::min(final_executions, measurements()))});
    starts_ += uncounted + blocks.back().counted;
  }
  run(std::move(blocks));
  return true;
}

}  // namespace adcl::select
