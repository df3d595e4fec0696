#include "select/guided.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/elementary.hpp"
#include "core/error.hpp"
#include "measure/mean.hpp"
#include "select/duration.hpp"

namespace adcl::select {

namespace {

// Multiples of the expected winner's time.
constexpr double near = 1.1;            ///< candidates within this factor may win
constexpr std::size_t most_near = 3;    ///< number of these candidates, including the expected winner
constexpr double hopeless_first = 3.0;  ///< beyond this factor, the first candidate is not tried
// Limits of the measured ratio, in multiples of the expected ratio.
constexpr double faster_bound = 1 / 1.5;
constexpr double slower_bound = 3.0;

bool is_time(double relative) { return std::isfinite(relative) && relative > 0.0; }

}  // namespace

std::vector<int> worth_trying(std::span<const double> relative) {
  std::vector<int> order;
  std::vector<int> result;
  for (std::size_t i = 0; i < relative.size(); ++i) {
    if (std::isfinite(relative[i])) {
      order.push_back(static_cast<int>(i));
    } else if (std::isnan(relative[i])) {
      result.push_back(static_cast<int>(i));
    }
  }
  if (order.empty()) {
    return indices_below(static_cast<int>(relative.size()));
  }
  std::ranges::stable_sort(order, {}, [&](int i) { return relative[at(i)]; });
  const double best = relative[at(order.front())];
  for (std::size_t n = 0; n < std::min(order.size(), most_near) && relative[at(order[n])] <= near * best; ++n) {
    result.push_back(order[n]);
  }
  const bool first_known = std::isfinite(relative.front()) && relative.front() <= hopeless_first * best;
  if (first_known && std::ranges::find(result, 0) == result.end()) {
    result.push_back(0);
  }
  if (result.size() == 1 && order.size() > 1) {
    result.push_back(order[1]);
  }
  std::ranges::sort(result);
  return result;
}

Guided::Guided(std::vector<Candidate> candidates, std::vector<double> relative, std::vector<double> corrections,
               Make make)
    : StagedSearch(candidates.size()),
      candidates_(std::move(candidates)),
      relative_(std::move(relative)),
      corrections_(std::move(corrections)),
      make_(std::move(make)) {
  require(relative_.size() == candidates_.size(), Code::argument, "the advice has ", relative_.size(), " entries for ",
          candidates_.size(), " candidates");
  require(corrections_.empty() || corrections_.size() == candidates_.size(), Code::argument, "the advice has ",
          corrections_.size(), " corrections for ", candidates_.size(), " candidates");
  begin_stage(worth_trying(relative_));
  follow();
}

void Guided::begin_stage(std::vector<int> members) {
  std::vector<Candidate> list;
  const int best = expected_winner(members);
  const double offset = offset_of_expectations(members);
  for (const int member : members) {
    list.push_back(with_advice(member, best, offset));
  }
  begin(std::move(members), make_(std::move(list)));
}

/// Mean difference between the prior log time and the logarithm of the advised relative time, over the members that
/// have both. Adding it makes advised log times comparable with the priors of members without advice.
double Guided::offset_of_expectations(std::span<const int> members) const {
  std::vector<double> differences;
  for (const int member : members) {
    const double before = candidates_[at(member)].expected.log_time;
    if (std::isfinite(before) && is_time(relative_[at(member)])) {
      differences.push_back(before - logarithm(relative_[at(member)]));
    }
  }
  return measure::mean(differences);
}

/// Returns the candidate with the advised time as its prior. \p expected_winner: -1 if there is none.
Candidate Guided::with_advice(int member, int expected_winner, double offset) const {
  Candidate candidate = candidates_[at(member)];
  double& log_time = candidate.expected.log_time;
  if (is_time(relative_[at(member)])) {
    log_time = logarithm(relative_[at(member)]) + offset;
  } else if (!corrections_.empty() && expected_winner >= 0) {
    const double of_best = candidates_[at(expected_winner)].expected.log_time;
    if (std::isfinite(of_best) && std::isfinite(log_time)) {
      log_time += logarithm(relative_[at(expected_winner)]) + offset - of_best + corrections_[at(member)];
    }
  }
  return candidate;
}

double Guided::estimated_log_time(int candidate) const {
  const int index = member_index(candidate);
  return index >= 0 ? stage().estimated_log_time(index) : unknown;
}

double Guided::excluded_ratio(int candidate) const {
  return member_index(candidate) < 0 ? relative_.at(at(candidate)) : unknown;
}

/// The member with the lowest advised time that was not dropped; -1: none.
int Guided::expected_winner(std::span<const int> members) const {
  std::vector<int> rated(members.begin(), members.end());
  std::erase_if(rated, [this](int member) { return !is_rated(member); });
  return lowest(rated, [this](int member) { return relative_[at(member)]; });
}

/// Describes how the measurements contradict the advice; empty: they agree.
std::string Guided::find_contradiction() const {
  const int best = expected_winner(members());
  if (best < 0) {
    return "no candidate with an expected time can run";
  }
  const auto known = [this](int member) -> const Knowledge& { return stage().knowledge()[at(member_index(member))]; };
  if (known(best).numbers.measurements < 1.0) {
    // A logic with priors may begin with a candidate without advice.
    const int winner = members()[at(standing(stage())->winner)];
    return std::isfinite(relative_[at(winner)]) ? candidates_[at(best)].name + ", the expected winner, was not measured"
                                                : "";
  }
  for (const int member : members()) {
    if (member == best || !is_rated(member) || known(member).numbers.measurements < 1.0) {
      continue;
    }
    const double expected = relative_[at(member)] / relative_[at(best)];
    const double ratio = known(member).judged_s / known(best).judged_s;
    if (!(ratio >= faster_bound * expected) || !(ratio <= slower_bound * expected)) {
      return text(candidates_[at(member)].name, " takes ", duration(known(member).judged_s), " and ",
                  candidates_[at(best)].name, " ", duration(known(best).judged_s), "; the expected ratio is ",
                  expected);
    }
  }
  return "";
}

void Guided::follow() {
  if (std::ranges::none_of(members(), [this](int member) { return drop_reason(member).empty(); })) {
    contradiction_ = "no candidate with results of similar problems can run";
    begin_with_all(make_(candidates_));
  } else if (advised() && !accepted_ && standing(stage())) {
    contradiction_ = leaves_out() ? find_contradiction() : "";
    accepted_ = advised();
    if (!accepted_) {
      begin_with_all(make_(candidates_));
    }
  }
  copy_results();
}

/// Copies the results of the stage, converted to indices of all candidates.
void Guided::copy_results() {
  knowledge_.assign(candidates_.size(), {});
  for (int i = 0; at(i) < candidates_.size(); ++i) {
    Knowledge& known = knowledge_[at(i)];
    if (const int index = member_index(i); index >= 0) {
      known = stage().knowledge()[at(index)];
    } else {
      known.removed = std::isfinite(relative_[at(i)])
                          ? text("not tried: in similar problems it takes ", relative_[at(i)],
                                 " times as long as the fastest candidate")
                          : "not tried: searches of similar problems excluded this candidate";
    }
    known.removed = drop_reason(i).empty() ? known.removed : drop_reason(i);
  }
  verdict_ = of_all_candidates(stage().verdict());
  provisional_ = of_all_candidates(stage().provisional());
}

/// Converts a verdict of the stage to indices of all candidates.
std::optional<Verdict> Guided::of_all_candidates(std::optional<Verdict> verdict) const {
  if (!verdict.has_value()) {
    return verdict;
  }
  verdict->winner = members()[at(verdict->winner)];
  for (int& tie : verdict->ties) {
    tie = members()[at(tie)];
  }
  if (!advised()) {
    verdict->reason += "; the results of similar problems were ignored: " + contradiction_;
  } else if (leaves_out()) {
    verdict->reason += text("; ", members().size(), " of ", candidates_.size(),
                            " candidates were tried; results of similar problems exclude the others");
  }
  return verdict;
}

}  // namespace adcl::select
