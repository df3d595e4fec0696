/// \file timer_parts.hpp
/// The deciders that replace the searches of a timer's requests.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "timer/timer.hpp"
#include "tuner/failures.hpp"

namespace adcl::runtime {

/// Applies the timer's choice to all requests of one group in one mode. Requests run it without consulting the part
/// until the timer changes it.
class Timer::Part final : public Decider {
 public:
  Part(Timer& timer, std::shared_ptr<TunerGroup> group, Mode mode)
      : timer_(timer),
        group_(std::move(group)),
        mode_(mode),
        knowledge_(group_->for_mode(mode).knowledge().size()),
        failures_(knowledge_.size()) {
    for (select::Knowledge& known : knowledge_) {
      known.judged_s = std::numeric_limits<double>::infinity();
    }
  }

  select::Ticket next(std::int64_t /*request*/) override {
    used_while_running_ = used_while_running_ || timer_.running_;
    lease_->left = std::numeric_limits<std::int64_t>::max() / 2;
    return next_after_drop();
  }
  [[nodiscard]] bool timed() const noexcept override { return false; }
  select::Ticket next_after_drop() override { return {current_, -1, 0}; }
  void record_time(const select::Ticket& /*ticket*/, double /*seconds*/, std::int64_t /*request*/) override {}
  void amend(const select::Ticket& /*ticket*/, double seconds, std::int64_t /*request*/) override {
    timer_.amend(seconds);
  }
  void drop(ModeCandidate candidate, const std::string& reason, std::int64_t /*request*/) override {
    knowledge_[index_of(candidate)].removed = reason.empty() ? "the plan cannot be created" : reason;
    failures_.drop(candidate, reason);
    timer_.drop(*this, static_cast<int>(candidate), knowledge_[index_of(candidate)].removed);
  }
  void add_failure(ModeCandidate candidate, const std::string& reason) override { failures_.fail(candidate, reason); }
  [[nodiscard]] const std::string& final_failure() const noexcept override {
    static const std::string no;
    const bool all = std::ranges::none_of(knowledge_, [](const auto& known) { return known.removed.empty(); });
    return all ? knowledge_.front().removed : no;
  }
  [[nodiscard]] bool is_last(ModeCandidate candidate) const override { return failures_.is_last(candidate); }
  void add_preparation(double seconds) override { timer_.lap_.preparation_s += seconds; }
  [[nodiscard]] std::shared_ptr<LeaseCounter> lease() override { return lease_; }
  void reopen(const std::string& reason) override { timer_.reopen(reason); }
  [[nodiscard]] bool decided() const noexcept override { return timer_.decided_; }
  [[nodiscard]] bool has_winner() const noexcept override { return timer_.has_winner(); }
  [[nodiscard]] int decisions() const noexcept override { return timer_.decisions_; }
  [[nodiscard]] ModeCandidate winner() const noexcept override { return ModeCandidate{timer_.winner_of(*this)}; }
  [[nodiscard]] std::span<const select::Knowledge> knowledge() const override { return knowledge_; }

  [[nodiscard]] const select::Subject& subject() const { return group_->find(mode_)->subject(); }
  [[nodiscard]] Mode mode() const noexcept { return mode_; }
  [[nodiscard]] std::uint64_t identity() const noexcept { return group_->identity(); }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(knowledge_.size()); }
  [[nodiscard]] const std::string& failure(int candidate) const {
    return knowledge_[static_cast<std::size_t>(candidate)].removed;
  }
  /// True if a candidate has failed on this rank since the last drop_failed().
  [[nodiscard]] bool has_failed() const { return failures_.flag() > 0.0; }
  /// Drops candidates that failed on some rank. Collective.
  void drop_failed(mpi::Context& context) {
    const std::vector<std::string> reasons = failures_.share(context);
    for (std::size_t i = 0; i < reasons.size(); ++i) {
      if (!reasons[i].empty() && knowledge_[i].removed.empty()) {
        drop(from_index<ModeCandidate>(i), reasons[i], 0);
      }
    }
    renew();
  }
  [[nodiscard]] int current() const noexcept { return current_; }
  /// A request was started while the timer ran.
  [[nodiscard]] bool used_while_running() const noexcept { return used_while_running_; }
  /// Requests consult the part at their next start.
  void renew() {
    lease_->left = 0;
    lease_ = std::make_shared<LeaseCounter>();
  }
  void choose(int candidate) {
    if (candidate != current_) {
      current_ = candidate;
      renew();
    }
  }
  /// Records that a combination with \p candidate was measured. The candidate keeps the numbers of its fastest
  /// combination.
  void add_numbers(int candidate, const select::Knowledge& known) {
    select::Knowledge& mine = knowledge_[static_cast<std::size_t>(candidate)];
    if (known.numbers.measurements >= 1.0 && known.judged_s < mine.judged_s) {
      mine.numbers = known.numbers;
      mine.judged_s = known.judged_s;
    }
  }

 private:
  Timer& timer_;
  std::shared_ptr<TunerGroup> group_;
  Mode mode_;
  std::vector<select::Knowledge> knowledge_;
  Failures failures_;
  std::shared_ptr<LeaseCounter> lease_ = std::make_shared<LeaseCounter>();
  int current_ = 0;
  bool used_while_running_ = false;
};

/// The deciders of one request: the timer's parts, and for modes that the timer does not govern, the request's own.
class Timer::Members final : public Deciders {
 public:
  Members(std::shared_ptr<Timer> timer, std::shared_ptr<TunerGroup> group)
      : timer_(std::move(timer)), group_(std::move(group)) {}

  Decider& for_mode(Mode mode) override {
    if (!timer_->coordinates_.empty() && !timer_->parts_.contains({group_.get(), mode})) {
      return group_->for_mode(mode);
    }
    auto& part = timer_->parts_[{group_.get(), mode}];
    if (part == nullptr) {
      part = std::make_unique<Part>(*timer_, group_, mode);
    }
    return *part;
  }
  [[nodiscard]] Decider* find(Mode mode) const override {
    const auto part = timer_->parts_.find({group_.get(), mode});
    return part != timer_->parts_.end() ? static_cast<Decider*>(part->second.get()) : group_->find(mode);
  }
  [[nodiscard]] Candidate candidate(Mode mode, ModeCandidate member) const override {
    return group_->candidate(mode, member);
  }

 private:
  std::shared_ptr<Timer> timer_;
  std::shared_ptr<TunerGroup> group_;
};

}  // namespace adcl::runtime
