// The model's last comparison: those that may be the fastest, side by side until their order is clear.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/elementary.hpp"
#include "search/model.hpp"
#include "search/paired.hpp"

namespace adcl::search {

namespace {

constexpr int fewest_rounds = 8;
constexpr int most_rounds = 48;
constexpr int first_ones = 2;  ///< executions of a block that do not count
constexpr int final_executions = 6;
constexpr double near = 1.15;  ///< times the leader's time: it may be the fastest
constexpr std::size_t most_finalists = 4;
constexpr double worth_having = 0.02;
constexpr double same = 0.01;  ///< as good as each other
constexpr double slower = 0.005;
constexpr double sure = 0.99;  ///< one-sided
constexpr double likely = 0.9;

}  // namespace

/// How much longer it takes, as a logarithm, in the rounds that both were in.
Difference Model::behind(int candidate, int other) const {
  return paired_difference(of(candidate).side_by_side, of(other).side_by_side);
}

/// The evidence says so: by 2 %, and not by chance (90 %, one-sided).
bool Model::ahead_of_first(int candidate) const {
  const int first = first_usable();
  if (candidate == first || first < 0 || !measured(first)) {
    return true;
  }
  if (const Difference gap = behind(first, candidate); gap.pairs >= fewest_pairs) {
    return gap.mean > worth_having && gap.lower(likely) > 0.0;
  }
  const double gap = logarithm(judged_s(first) / std::max(judged_s(candidate), 1e-9));
  const auto blocks = [this](int i) { return std::max(1.0, static_cast<double>(of(i).logs.size())); };
  const double error = std::sqrt(block_noise_ / blocks(first) + block_noise_ / blocks(candidate));
  return gap > worth_having && gap > 1.28 * error;
}

/// A finalist that the rounds do not separate from the winner, or by no more than 1 %.
bool Model::tied(int candidate, int winner) const {
  const Difference gap = behind(candidate, winner);
  if (gap.pairs < fewest_pairs) {
    return BatchSearch::tied(candidate, winner);
  }
  return gap.mean <= worth_having && (gap.mean <= same || gap.lower(likely) <= 0.0);
}

/// At the end the first of the table of those that are tied.
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

/// Those that may be the fastest: within 15 % of the one that is, and the first of the table as long as the evidence
/// does not show that it is slower.
std::vector<int> Model::finalists() const {
  std::vector<int> field;
  const int best = fastest();
  const int doubtful = ahead_of_first(best) ? best : first_usable();
  for (int i = 0; i < count(); ++i) {
    if (usable(i) && active(i) && of(i).ran && (judged_s(i) <= near * judged_s(best) || i == doubtful)) {
      field.push_back(i);
    }
  }
  std::stable_sort(field.begin(), field.end(),
                   [&](int a, int b) { return a == doubtful || (b != doubtful && judged_s(a) < judged_s(b)); });
  field.resize(std::min(field.size(), most_finalists));
  std::sort(field.begin(), field.end());
  return field;
}

/// What the finalists are judged by from now on: their times side by side. All of them, so that what went before is
/// nobody's advantage.
void Model::judge_side_by_side() {
  int best = field_.front();
  for (const int member : field_) {
    if (trimmed_mean(of(member).side_by_side) < trimmed_mean(of(best).side_by_side)) {
      best = member;
    }
  }
  const double best_log = trimmed_mean(of(best).side_by_side);
  for (int i = 0; i < count(); ++i) {
    const Difference gap = behind(i, best);
    if (gap.pairs >= fewest_pairs) {
      estimate::Numbers told = of(i).collected;
      told.filtered_mean_s = exponential(best_log + (i == best ? 0.0 : gap.mean));
      know(i, told, told.filtered_mean_s);
    }
  }
}

/// Leaves those that may still be the fastest.
void Model::thin_out() {
  const int best =
      *std::min_element(field_.begin(), field_.end(), [this](int a, int b) { return judged_s(a) < judged_s(b); });
  std::erase_if(field_, [&](int member) {
    const Difference gap = behind(member, best);
    return !usable(member) || (member != best && gap.mean > same && gap.lower(sure) > slower);
  });
}

/// A round side by side, where the order is not clear yet. False: it is, or there is nobody to compare.
bool Model::compare_finalists() {
  if (rounds_ > 0 && of(fastest()).ran && of(fastest()).side_by_side.empty()) {  // it came later
    std::for_each(trials_.begin(), trials_.end(), [](Trials& known) { known.side_by_side.clear(); });
    rounds_ = 0;
  }
  if (rounds_ == 0) {
    field_ = finalists();
  } else {
    std::erase_if(field_, [this](int member) { return !usable(member); });
    if (rounds_ >= fewest_rounds && !field_.empty()) {
      judge_side_by_side();
      thin_out();
    }
  }
  const auto close = [this](int member) {
    const Difference gap = behind(member, field_.front());
    return member == field_.front() || (gap.upper(sure) < same && gap.lower(sure) > -same);
  };
  const bool as_good = rounds_ >= fewest_rounds && std::all_of(field_.begin(), field_.end(), close);
  comparing_ = field_.size() > 1 && rounds_ < most_rounds && !as_good;
  if (!comparing_) {
    return false;
  }
  ++rounds_;
  std::vector<int> order = field_;
  std::rotate(order.begin(), order.begin() + rounds_ % static_cast<int>(order.size()), order.end());
  std::vector<Block> blocks;
  for (const int member : order) {
    blocks.push_back({member, first_ones, std::min(final_executions, measurements())});
    starts_ += first_ones + blocks.back().counted;
  }
  run(std::move(blocks));
  return true;
}

}  // namespace adcl::search
