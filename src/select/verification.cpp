#include "select/verification.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/elementary.hpp"
#include "core/error.hpp"
#include "select/batch_search.hpp"

namespace adcl::select {

namespace {

constexpr double tolerance = 0.1;     ///< part of the earlier time
constexpr double too_much = 1.25;     ///< times faster: suspicious after Doubt::faster
constexpr double first_ones = 1.5;    ///< times the earlier time: limit for the first executions of a run
constexpr double implausible = 10.0;  ///< times faster than the stored time of another run
constexpr double least_time_s = 1e-9;
constexpr double standard_errors = 2.0;  ///< of the difference of the means

double squared_error(const measure::Numbers& numbers) {
  return numbers.measurements > 0.0 ? numbers.spread_s * numbers.spread_s / numbers.measurements : 0.0;
}

}  // namespace

measure::Numbers as_prior(const Knowledge& known) {
  if (known.numbers.measurements < 1.0 || !std::isfinite(known.judged_s)) {
    return {};
  }
  return {known.judged_s, known.judged_s, 0.0, known.numbers.measurements,
          std::min(known.numbers.spread_s, known.judged_s / 2.0)};
}

/// The first stage: measures one block at a time, and ends when a measured candidate leads.
class Verification::Check final : public BatchSearch {
 public:
  Check(const std::vector<Candidate>& candidates, const AttributeSet& attributes, const Parameters& parameters,
        std::span<const measure::Numbers> prior, Doubt doubt, int favourite)
      : BatchSearch(candidates, attributes, parameters),
        prior_(prior.begin(), prior.end()),
        doubt_(doubt),
        favourite_(favourite) {
    require(prior.size() == candidates.size(), Code::argument, "earlier knowledge has ", prior.size(), " entries for ",
            candidates.size(), " candidates");
    for (int i = 0; i < count(); ++i) {
      if (before(i).measurements >= 1.0 && std::isfinite(before(i).mean_s)) {
        know(i, before(i), this->parameters().estimator->judge(before(i), this->parameters().options));
      }
    }
  }

  /// The verified candidate has kept its time, or no other candidate is left.
  [[nodiscard]] bool held() const { return held_ || usable_count() == 1; }
  [[nodiscard]] bool kept_its_time() const { return held_; }
  /// Known times replace other expectations; candidates without known times keep theirs. A candidate that has not kept
  /// its time gets its earlier time if that is shorter: a disturbance may have affected its few executions, and another
  /// trial costs little.
  [[nodiscard]] std::vector<Candidate> expecting() const {
    if (doubt_ == Doubt::faster || is_implausible()) {
      return all_candidates();
    }
    const auto seconds = [this](int i) {
      return std::max(i == subject_ ? std::min(shortest_s_, before_s_) : judged_s(i), least_time_s);
    };
    double least_s = std::numeric_limits<double>::infinity();
    for (int i = 0; i < count(); ++i) {
      least_s = measured(i) ? std::min(least_s, seconds(i)) : least_s;
    }
    std::vector<Candidate> candidates = all_candidates();
    for (int i = 0; i < count(); ++i) {
      if (measured(i) && std::isfinite(seconds(i))) {
        candidates[static_cast<std::size_t>(i)].expected.log_time = logarithm(seconds(i) / least_s);
      }
    }
    return candidates;
  }

 private:
  void advance() override {
    if (subject_ >= 0 && usable(subject_) && seen_) {
      held_ = !is_implausible() && (keeps_its_time() || would_win());
      takes_s_ = judged_s(subject_);
      if (held_) {
        const double usual_s = std::min(takes_s_, std::max(shortest_s_, before_s_));
        know(subject_, knowledge()[static_cast<std::size_t>(subject_)].numbers, usual_s);
      }
      conclude("");
      return;
    }
    const int best = favoured() ? favourite_ : fastest();
    if (best < 0 || (best == subject_ && ++attempts_ == attempts_allowed)) {
      conclude("");
      return;
    }
    attempts_ = best == subject_ ? attempts_ : 0;
    subject_ = best;
    before_s_ = judged_s(best);
    run({{best, verification_warm_ups, lengthened(std::min(measurements(), verification_measurements))}});
  }

  void learn(int candidate, const measure::Numbers& numbers, const Range& range) override {
    if (numbers.measurements >= 1.0) {
      seen_ = true;
      shortest_s_ = range.shortest_s;
      BatchSearch::learn(candidate, numbers, range);
    }
  }

  [[nodiscard]] int leader() const override { return seen_ && usable(subject_) ? subject_ : fastest(); }

  [[nodiscard]] bool favoured() const {
    return favourite_ >= 0 && favourite_ < count() && usable(favourite_) && measured(favourite_);
  }

  [[nodiscard]] bool keeps_its_time() const {
    const measure::Numbers& now = knowledge()[static_cast<std::size_t>(subject_)].numbers;
    const double doubt_s = standard_errors * std::sqrt(squared_error(before(subject_)) + squared_error(now));
    const bool too_fast = doubt_ == Doubt::faster && too_much * judged_s(subject_) + doubt_s < before_s_;
    return !too_fast && std::min(shortest_s_, judged_s(subject_)) <= (1.0 + tolerance) * before_s_ + doubt_s;
  }

  /// The stored time cannot be from this machine in its present state.
  [[nodiscard]] bool is_implausible() const {
    return doubt_ == Doubt::another_run && seen_ && implausible * judged_s(subject_) < before_s_;
  }

  /// In the first executions of a run, all candidates take longer.
  [[nodiscard]] bool would_win() const {
    bool wins = doubt_ == Doubt::another_run && shortest_s_ <= first_ones * before_s_;
    for (int i = 0; i < count() && wins; ++i) {
      wins = i == subject_ || !usable(i) || !measured(i) || shortest_s_ < judged_s(i);
    }
    return wins;
  }

  [[nodiscard]] std::string sentence(int winner) const override {
    if (winner != subject_ || !seen_) {
      return BatchSearch::sentence(winner);
    }
    const bool scattered = takes_s_ > judged_s(winner);
    return text(candidate(winner).name, ", which won before, takes ",
                duration(scattered ? shortest_s_ : judged_s(winner)), scattered ? " and more in " : " in ",
                knowledge()[static_cast<std::size_t>(winner)].numbers.measurements, " measurements and took ",
                duration(before_s_));
  }

  [[nodiscard]] std::string explanation(int loser, int winner) const override {
    return "known from before: " + BatchSearch::explanation(loser, winner);
  }

  [[nodiscard]] const measure::Numbers& before(int candidate) const {
    return prior_[static_cast<std::size_t>(candidate)];
  }

  static constexpr int attempts_allowed = 3;
  std::vector<measure::Numbers> prior_;
  Doubt doubt_;
  int favourite_;
  int subject_ = -1;         ///< the candidate that is verified
  int attempts_ = 0;         ///< its blocks without a measurement on some rank
  double before_s_ = 0.0;    ///< its earlier time
  double shortest_s_ = 0.0;  ///< its shortest new time
  double takes_s_ = 0.0;     ///< the new time by which it is judged
  bool seen_ = false;        ///< it was measured
  bool held_ = false;
};

Verification::Verification(const std::vector<Candidate>& candidates, const AttributeSet& attributes,
                           const Parameters& parameters, std::span<const measure::Numbers> prior,
                           std::function<std::unique_ptr<Search>(std::vector<Candidate>)> make, Doubt doubt,
                           int favourite)
    : check_(std::make_unique<Check>(candidates, attributes, parameters, prior, doubt, favourite)),
      make_(std::move(make)),
      dropped_(candidates.size()) {
  check_->begin();
  begin_anew_unless_held();
}

Verification::~Verification() = default;

Search& Verification::stage() const { return anew_ != nullptr ? *anew_ : *check_; }

bool Verification::held() const { return anew_ == nullptr && check_->kept_its_time(); }

void Verification::begin_anew_unless_held() {
  if (anew_ != nullptr || !check_->verdict().has_value() || check_->held()) {
    return;
  }
  anew_ = make_(check_->expecting());
  for (std::size_t i = 0; i < dropped_.size(); ++i) {
    if (!dropped_[i].empty()) {
      anew_->drop(static_cast<int>(i), dropped_[i]);
    }
  }
}

Ticket Verification::next() {
  Ticket ticket = stage().next();
  if (ticket.slot < 0) {
    return ticket;
  }
  if (anew_ == nullptr) {
    slots_ = ticket.slot + 1;
  } else {
    ticket.slot += slots_;
  }
  return ticket;
}

bool Verification::record(const Ticket& ticket, double seconds, double left_s) {
  const int first = anew_ != nullptr ? slots_ : 0;
  return ticket.slot >= first && stage().record({ticket.candidate, ticket.slot - first, ticket.start}, seconds, left_s);
}

bool Verification::amend(const Ticket& ticket, double seconds) {
  const int first = anew_ != nullptr ? slots_ : 0;
  return ticket.slot >= first && stage().amend({ticket.candidate, ticket.slot - first, ticket.start}, seconds);
}

void Verification::absorb(std::span<const double> reduced) {
  stage().absorb(reduced);
  begin_anew_unless_held();
}

void Verification::drop(int candidate, const std::string& reason) {
  stage().drop(candidate, reason);
  dropped_[static_cast<std::size_t>(candidate)] = reason.empty() ? "it cannot run" : reason;
  begin_anew_unless_held();
}

void Verification::prime(std::span<const measure::Numbers> /*known*/) {
  throw Error(Code::state, "prime() of a verification; only its constructor takes earlier results");
}

}  // namespace adcl::select
