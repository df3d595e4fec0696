#include "select/guided.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/elementary.hpp"
#include "core/error.hpp"
#include "select/at.hpp"
#include "select/duration.hpp"

namespace adcl::select {

namespace {

constexpr double near = 1.1;              ///< times the expected winner's time: it may win as well
constexpr std::size_t most_near = 3;      ///< candidates, including the expected winner
constexpr double hopeless_first = 3.0;    ///< times the expected winner's time: not worth a comparison
constexpr double faster_bound = 1 / 1.5;  ///< of the expected ratio
constexpr double slower_bound = 3.0;      ///< of the expected ratio

bool is_time(double relative) { return std::isfinite(relative) && relative > 0.0; }

}  // namespace

std::vector<int> field_of(std::span<const double> relative) {
  std::vector<int> order;
  std::vector<int> field;
  for (std::size_t i = 0; i < relative.size(); ++i) {
    if (std::isfinite(relative[i])) {
      order.push_back(static_cast<int>(i));
    } else if (std::isnan(relative[i])) {
      field.push_back(static_cast<int>(i));
    }
  }
  if (order.empty()) {
    field.resize(relative.size());
    std::iota(field.begin(), field.end(), 0);
    return field;
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return relative[at(a)] < relative[at(b)]; });
  const double best = relative[at(order.front())];
  for (std::size_t n = 0; n < std::min(order.size(), most_near) && relative[at(order[n])] <= near * best; ++n) {
    field.push_back(order[n]);
  }
  const bool first_known = std::isfinite(relative.front()) && relative.front() <= hopeless_first * best;
  if (first_known && std::find(field.begin(), field.end(), 0) == field.end()) {
    field.push_back(0);
  }
  if (field.size() == 1 && order.size() > 1) {
    field.push_back(order[1]);
  }
  std::sort(field.begin(), field.end());
  return field;
}

Guided::Guided(std::vector<Candidate> candidates, std::vector<double> relative, std::vector<double> corrections,
               Make make)
    : candidates_(std::move(candidates)),
      relative_(std::move(relative)),
      corrections_(std::move(corrections)),
      make_(std::move(make)),
      dropped_(candidates_.size()) {
  require(relative_.size() == candidates_.size(), Code::argument, "the advice has ", relative_.size(), " entries for ",
          candidates_.size(), " candidates");
  require(corrections_.empty() || corrections_.size() == candidates_.size(), Code::argument, "the advice has ",
          corrections_.size(), " corrections for ", candidates_.size(), " candidates");
  begin(field_of(relative_));
  settle();
}

void Guided::begin(std::vector<int> members) {
  std::erase_if(members, [this](int member) { return !dropped_[at(member)].empty(); });
  members_ = std::move(members);
  std::vector<Candidate> list;
  const double constant = advised_ ? constant_of_expectations() : 0.0;
  for (const int member : members_) {
    list.push_back(candidates_[at(member)]);
    if (advised_) {
      expect(member, constant, list.back());
    }
  }
  first_slot_ = slots_;
  stage_ = make_(std::move(list));
}

/// Mean difference between the expected log times of the candidates and the logarithms of their relative times, over
/// members that have both. Members without advice keep their expectations.
double Guided::constant_of_expectations() const {
  double sum = 0.0;
  double count = 0.0;
  for (const int member : members_) {
    const double before = candidates_[at(member)].expected.log_time;
    if (std::isfinite(before) && is_time(relative_[at(member)])) {
      sum += before - logarithm(relative_[at(member)]);
      count += 1.0;
    }
  }
  return count > 0.0 ? sum / count : 0.0;
}

/// Sets the expectation of \p candidate, which is \p member, from the advice.
void Guided::expect(int member, double constant, Candidate& candidate) const {
  if (is_time(relative_[at(member)])) {
    candidate.expected.log_time = logarithm(relative_[at(member)]) + constant;
    return;
  }
  const int best = expected_winner();
  const double of_best = best >= 0 ? candidates_[at(best)].expected.log_time : 0.0;
  if (!corrections_.empty() && best >= 0 && std::isfinite(of_best) && std::isfinite(candidate.expected.log_time)) {
    candidate.expected.log_time += logarithm(relative_[at(best)]) + constant - of_best + corrections_[at(member)];
  }
}

double Guided::believed(int candidate) const {
  const int place = place_of(candidate);
  return place >= 0 ? stage_->believed(place) : std::numeric_limits<double>::quiet_NaN();
}

int Guided::place_of(int candidate) const {
  const auto found = std::find(members_.begin(), members_.end(), candidate);
  return found != members_.end() ? static_cast<int>(found - members_.begin()) : -1;
}

Ticket Guided::inner(const Ticket& ticket) const {
  return {place_of(ticket.candidate), ticket.slot - first_slot_, ticket.start};
}

Ticket Guided::next() {
  Ticket ticket = stage_->next();
  ticket.candidate = members_[at(ticket.candidate)];
  if (ticket.slot >= 0) {
    ticket.slot += first_slot_;
    slots_ = ticket.slot + 1;
  }
  return ticket;
}

bool Guided::record(const Ticket& ticket, double seconds, double left_s) {
  return ticket.slot >= first_slot_ && place_of(ticket.candidate) >= 0 &&
         stage_->record(inner(ticket), seconds, left_s);
}

bool Guided::amend(const Ticket& ticket, double seconds) {
  return ticket.slot >= first_slot_ && place_of(ticket.candidate) >= 0 && stage_->amend(inner(ticket), seconds);
}

void Guided::spend(int candidate, double seconds) {
  if (place_of(candidate) >= 0) {
    stage_->spend(place_of(candidate), seconds);
  }
}

void Guided::absorb(std::span<const double> reduced) {
  // Numbers that were under way when the advice was dropped do not belong to the stage that has just begun.
  if (stage_->ready()) {
    stage_->absorb(reduced);
    settle();
  }
}

void Guided::drop(int candidate, const std::string& reason) {
  require(candidate >= 0 && at(candidate) < candidates_.size(), Code::argument, "drop() of candidate ", candidate,
          "; there are ", candidates_.size());
  if (!dropped_[at(candidate)].empty()) {
    return;
  }
  require(std::count(dropped_.begin(), dropped_.end(), "") > 1, Code::no_codelet, "no codelet would be left without '",
          candidates_[at(candidate)].name, "' (", reason, ")");
  dropped_[at(candidate)] = reason.empty() ? "it cannot run" : reason;
  const bool last = std::all_of(members_.begin(), members_.end(), [this](int m) { return !dropped_[at(m)].empty(); });
  if (last) {
    contradiction_ = "none of the candidates that it proposes can run";
    advised_ = false;
    std::vector<int> all(candidates_.size());
    std::iota(all.begin(), all.end(), 0);
    begin(std::move(all));
  } else if (place_of(candidate) >= 0) {
    stage_->drop(place_of(candidate), dropped_[at(candidate)]);
  }
  settle();
}

void Guided::prime(std::span<const measure::Numbers> /*known*/) {
  throw Error(Code::state, "prime() of a search with advice; only its constructor takes advice");
}

double Guided::left_out(int candidate) const {
  return place_of(candidate) < 0 ? relative_.at(at(candidate)) : std::numeric_limits<double>::quiet_NaN();
}

bool Guided::known(int candidate) const {
  const int place = place_of(candidate);
  return place >= 0 && stage_->knowledge()[at(place)].numbers.measurements >= 1.0;
}

/// The fastest member, by the advice, that can run; -1: none.
int Guided::expected_winner() const {
  int best = -1;
  for (const int member : members_) {
    if (dropped_[at(member)].empty() && std::isfinite(relative_[at(member)]) &&
        (best < 0 || relative_[at(member)] < relative_[at(best)])) {
      best = member;
    }
  }
  return best;
}

/// How the measurements of the field contradict the advice; empty: they do not.
std::string Guided::objection() const {
  const int best = expected_winner();
  if (best < 0) {
    return "none of the candidates that it rates can run";
  }
  if (!known(best)) {
    // A logic with expectations may begin with a candidate without advice.
    const int winner = members_[at(standing(*stage_)->winner)];
    return std::isfinite(relative_[at(winner)]) ? candidates_[at(best)].name + ", the expected winner, was not measured"
                                                : "";
  }
  const auto seconds = [this](int member) { return stage_->knowledge()[at(place_of(member))].judged_s; };
  for (const int member : members_) {
    if (member == best || !known(member) || !dropped_[at(member)].empty() || !std::isfinite(relative_[at(member)])) {
      continue;
    }
    const double expected = relative_[at(member)] / relative_[at(best)];
    const double ratio = seconds(member) / seconds(best);
    if (!(ratio >= faster_bound * expected) || !(ratio <= slower_bound * expected)) {
      return text(candidates_[at(member)].name, " takes ", duration(seconds(member)), " and ",
                  candidates_[at(best)].name, " ", duration(seconds(best)), "; the expected ratio is ", expected);
    }
  }
  return "";
}

void Guided::settle() {
  if (advised_ && !accepted_ && standing(*stage_).has_value()) {
    contradiction_ = members_.size() < candidates_.size() ? objection() : "";
    if (contradiction_.empty()) {
      accepted_ = true;
    } else {
      advised_ = false;
      std::vector<int> all(candidates_.size());
      std::iota(all.begin(), all.end(), 0);
      begin(std::move(all));
    }
  }
  take_over();
}

/// Copies the results of the stage, in terms of all candidates.
void Guided::take_over() {
  Knowledge unknown;
  unknown.judged_s = std::numeric_limits<double>::infinity();
  knowledge_.assign(candidates_.size(), unknown);
  for (std::size_t i = 0; i < members_.size(); ++i) {
    knowledge_[at(members_[i])] = stage_->knowledge()[i];
  }
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (!dropped_[i].empty()) {
      knowledge_[i].removed = dropped_[i];
    } else if (place_of(static_cast<int>(i)) < 0) {
      knowledge_[i].removed = std::isfinite(relative_[i]) ? text("not tried: similar problems say that it takes ",
                                                                 relative_[i], " times as long as the fastest")
                                                          : "not tried: the searches of similar problems ruled it out";
    }
  }
  verdict_ = in_own_words(stage_->verdict());
  provisional_ = in_own_words(stage_->provisional());
}

/// Converts a verdict of the stage to one about all candidates.
std::optional<Verdict> Guided::in_own_words(std::optional<Verdict> verdict) const {
  if (!verdict.has_value()) {
    return verdict;
  }
  verdict->winner = members_[at(verdict->winner)];
  for (int& tie : verdict->ties) {
    tie = members_[at(tie)];
  }
  if (!contradiction_.empty()) {
    verdict->reason += "; the advice of similar problems was dropped: " + contradiction_;
  } else if (members_.size() < candidates_.size()) {
    verdict->reason +=
        text("; tried were ", members_.size(), " of ", candidates_.size(), " candidates, as similar problems advise");
  }
  return verdict;
}

}  // namespace adcl::select
