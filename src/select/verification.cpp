#include "select/verification.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/elementary.hpp"
#include "core/error.hpp"
#include "select/batch_search.hpp"

namespace adcl::select {

namespace {

constexpr double tolerance = 0.1;     ///< accepted increase, in multiples of the earlier time
constexpr double much_faster = 1.25;  ///< speedup above which the winner is rejected after Recheck::faster
constexpr double slow_start = 1.5;    ///< largest slowdown in the first executions of a run
constexpr double implausible = 10.0;  ///< speedup above which the stored times of another run are rejected
constexpr int attempts_to_measure = 3;
constexpr double least_time_s = 1e-9;
constexpr double standard_errors = 2.0;  ///< accepted increase, in standard errors of the difference of the means

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

/// The first stage: measures the winner in one block; after a drop, the next fastest candidate.
class Verification::Check final : public BatchSearch {
 public:
  Check(const std::vector<Candidate>& candidates, const AttributeSet& attributes, const Parameters& parameters,
        std::span<const measure::Numbers> prior, Recheck cause, int former_winner)
      : BatchSearch(candidates, attributes, parameters),
        prior_(prior.begin(), prior.end()),
        cause_(cause),
        former_winner_(former_winner) {
    require(prior.size() == candidates.size(), Code::argument, "the earlier results have ", prior.size(),
            " entries for ", candidates.size(), " candidates");
    for (int i = 0; i < count(); ++i) {
      const measure::Numbers& before = prior_[at(i)];
      if (before.measurements >= 1.0 && std::isfinite(before.mean_s)) {
        set_results(i, before, this->parameters().estimator->judge(before, this->parameters().options));
      }
    }
  }

  [[nodiscard]] bool kept_its_time() const { return held_; }
  [[nodiscard]] bool fails() const { return verdict() && !held_ && runnable_count() > 1; }
  /// Returns the candidates with known times as priors; candidates without known times keep their priors. The verified
  /// candidate gets the shorter of its times, because a disturbance may have affected its few executions, and another
  /// trial costs little.
  [[nodiscard]] std::vector<Candidate> candidates_with_known_times() const {
    std::vector<Candidate> candidates = all_candidates();
    if (cause_ == Recheck::faster || is_implausible()) {
      return candidates;
    }
    const auto seconds = [this](int i) {
      return std::max(i == subject_ ? std::min(shortest_s_, before_s_) : judged_s(i), least_time_s);
    };
    const auto known = candidates_where([this](int i) { return is_measured(i); });
    const int fastest = lowest(known, seconds);
    for (const int i : known) {
      if (std::isfinite(seconds(i))) {
        candidates[at(i)].expected.log_time = logarithm(seconds(i) / seconds(fastest));
      }
    }
    return candidates;
  }

 private:
  void advance() override {
    if (subject_ >= 0 && can_run(subject_) && seen_) {
      held_ = !is_implausible() && (keeps_its_time() || would_win());
      takes_s_ = judged_s(subject_);
      if (held_) {
        set_results(subject_, numbers(subject_), std::min(takes_s_, std::max(shortest_s_, before_s_)));
      }
      conclude("");
      return;
    }
    const bool favored =
        former_winner_ >= 0 && former_winner_ < count() && can_run(former_winner_) && is_measured(former_winner_);
    const int best = favored ? former_winner_ : fastest();
    if (best < 0 || (best == subject_ && ++attempts_ == attempts_to_measure)) {
      conclude("");
      return;
    }
    attempts_ = best == subject_ ? attempts_ : 0;
    subject_ = best;
    before_s_ = judged_s(best);
    run({{best, verification_warm_ups, block_length(std::min(measurements(), verification_measurements))}});
  }

  void take_results(int candidate, const measure::Numbers& numbers, const BlockCost& cost) override {
    if (numbers.measurements >= 1.0) {
      seen_ = true;
      shortest_s_ = cost.shortest_s;
      BatchSearch::take_results(candidate, numbers, cost);
    }
  }

  [[nodiscard]] int leader() const override { return seen_ && can_run(subject_) ? subject_ : fastest(); }

  [[nodiscard]] bool keeps_its_time() const {
    const double error_s =
        standard_errors * std::sqrt(squared_error(prior_[at(subject_)]) + squared_error(numbers(subject_)));
    const bool too_fast = cause_ == Recheck::faster && much_faster * judged_s(subject_) + error_s < before_s_;
    return !too_fast && std::min(shortest_s_, judged_s(subject_)) <= (1.0 + tolerance) * before_s_ + error_s;
  }

  /// Whether the stored time does not fit the present state of the machine.
  [[nodiscard]] bool is_implausible() const {
    return cause_ == Recheck::another_run && seen_ && implausible * judged_s(subject_) < before_s_;
  }

  /// Whether the winner would still win, given that the first executions of a run take longer.
  [[nodiscard]] bool would_win() const {
    return cause_ == Recheck::another_run && shortest_s_ <= slow_start * before_s_ &&
           std::ranges::all_of(indices_below(count()), [this](int i) {
             return i == subject_ || !can_run(i) || !is_measured(i) || shortest_s_ < judged_s(i);
           });
  }

  [[nodiscard]] std::string sentence(int winner) const override {
    if (winner != subject_ || !seen_) {
      return BatchSearch::sentence(winner);
    }
    const bool scattered = takes_s_ > judged_s(winner);
    return text(candidate(winner).name, ", the former winner, takes ", scattered ? "at least " : "",
                duration(scattered ? shortest_s_ : judged_s(winner)), " in ", numbers(winner).measurements,
                " measurements; it took ", duration(before_s_), " before");
  }

  [[nodiscard]] std::string explanation(int loser, int winner) const override {
    return "known from earlier results: " + BatchSearch::explanation(loser, winner);
  }

  [[nodiscard]] const measure::Numbers& numbers(int candidate) const { return knowledge()[at(candidate)].numbers; }

  std::vector<measure::Numbers> prior_;
  Recheck cause_;
  int former_winner_;
  int subject_ = -1;         ///< the candidate under verification
  int attempts_ = 0;         ///< failed attempts to measure the winner
  double before_s_ = 0.0;    ///< its earlier time
  double shortest_s_ = 0.0;  ///< its shortest new time
  double takes_s_ = 0.0;     ///< its judged new time
  bool seen_ = false;        ///< the candidate was measured
  bool held_ = false;
};

Verification::Verification(const std::vector<Candidate>& candidates, const AttributeSet& attributes,
                           const Parameters& parameters, std::span<const measure::Numbers> prior,
                           std::function<std::unique_ptr<Search>(std::vector<Candidate>)> make, Recheck cause,
                           int former_winner)
    : StagedSearch(candidates.size()), make_(std::move(make)) {
  auto check = std::make_unique<Check>(candidates, attributes, parameters, prior, cause, former_winner);
  check->begin();
  check_ = check.get();
  begin_with_all(std::move(check));
  follow();
}

bool Verification::held() const { return check_ != nullptr && check_->kept_its_time(); }

void Verification::follow() {
  if (check_ != nullptr && check_->fails()) {
    auto search = make_(check_->candidates_with_known_times());
    check_ = nullptr;
    begin_with_all(std::move(search));
  }
}

}  // namespace adcl::select
