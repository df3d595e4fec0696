#include "select/verification.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/elementary.hpp"
#include "core/error.hpp"
#include "select/at.hpp"
#include "select/batch_search.hpp"

namespace adcl::select {

namespace {

constexpr double tolerance = 0.1;     ///< part of the earlier time
constexpr double much_faster = 1.25;  ///< times faster: not trusted after Recheck::faster
constexpr double slow_start = 1.5;    ///< times the earlier time: limit for the first executions of a run
constexpr double implausible = 10.0;  ///< times faster than the stored time of another run
constexpr int attempts_to_measure = 3;
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
        std::span<const measure::Numbers> prior, Recheck cause, int former_winner)
      : BatchSearch(candidates, attributes, parameters),
        prior_(prior.begin(), prior.end()),
        cause_(cause),
        former_winner_(former_winner) {
    require(prior.size() == candidates.size(), Code::argument, "earlier knowledge has ", prior.size(), " entries for ",
            candidates.size(), " candidates");
    for (int i = 0; i < count(); ++i) {
      const measure::Numbers& before = prior_[at(i)];
      if (before.measurements >= 1.0 && std::isfinite(before.mean_s)) {
        know(i, before, this->parameters().estimator->judge(before, this->parameters().options));
      }
    }
  }

  [[nodiscard]] bool kept_its_time() const { return held_; }
  [[nodiscard]] bool fails() const { return verdict() && !held_ && usable_count() > 1; }
  /// Known times replace other expectations; candidates without known times keep theirs. A candidate that has not kept
  /// its time gets its earlier time if that is shorter: a disturbance may have affected its few executions, and another
  /// trial costs little.
  [[nodiscard]] std::vector<Candidate> candidates_with_known_times() const {
    std::vector<Candidate> candidates = all_candidates();
    if (cause_ == Recheck::faster || is_implausible()) {
      return candidates;
    }
    const auto seconds = [this](int i) {
      return std::max(i == subject_ ? std::min(shortest_s_, before_s_) : judged_s(i), least_time_s);
    };
    std::vector<int> known = indices_below(count());
    std::erase_if(known, [this](int i) { return !measured(i); });
    const auto fastest = std::ranges::min_element(known, {}, seconds);
    for (const int i : known) {
      if (std::isfinite(seconds(i))) {
        candidates[at(i)].expected.log_time = logarithm(seconds(i) / seconds(*fastest));
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
        know(subject_, numbers(subject_), std::min(takes_s_, std::max(shortest_s_, before_s_)));
      }
      conclude("");
      return;
    }
    const bool favored =
        former_winner_ >= 0 && former_winner_ < count() && usable(former_winner_) && measured(former_winner_);
    const int best = favored ? former_winner_ : fastest();
    if (best < 0 || (best == subject_ && ++attempts_ == attempts_to_measure)) {
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

  [[nodiscard]] bool keeps_its_time() const {
    const double error_s =
        standard_errors * std::sqrt(squared_error(prior_[at(subject_)]) + squared_error(numbers(subject_)));
    const bool too_fast = cause_ == Recheck::faster && much_faster * judged_s(subject_) + error_s < before_s_;
    return !too_fast && std::min(shortest_s_, judged_s(subject_)) <= (1.0 + tolerance) * before_s_ + error_s;
  }

  /// The stored time cannot be from this machine in its present state.
  [[nodiscard]] bool is_implausible() const {
    return cause_ == Recheck::another_run && seen_ && implausible * judged_s(subject_) < before_s_;
  }

  /// In the first executions of a run, all candidates take longer.
  [[nodiscard]] bool would_win() const {
    return cause_ == Recheck::another_run && shortest_s_ <= slow_start * before_s_ &&
           std::ranges::all_of(indices_below(count()), [this](int i) {
             return i == subject_ || !usable(i) || !measured(i) || shortest_s_ < judged_s(i);
           });
  }

  [[nodiscard]] std::string sentence(int winner) const override {
    if (winner != subject_ || !seen_) {
      return BatchSearch::sentence(winner);
    }
    const bool scattered = takes_s_ > judged_s(winner);
    return text(candidate(winner).name, ", which won before, takes ",
                duration(scattered ? shortest_s_ : judged_s(winner)), scattered ? " and more in " : " in ",
                numbers(winner).measurements, " measurements and took ", duration(before_s_));
  }

  [[nodiscard]] std::string explanation(int loser, int winner) const override {
    return "known from before: " + BatchSearch::explanation(loser, winner);
  }

  [[nodiscard]] const measure::Numbers& numbers(int candidate) const { return knowledge()[at(candidate)].numbers; }

  std::vector<measure::Numbers> prior_;
  Recheck cause_;
  int former_winner_;
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
