/// \file fixed_choice.hpp
/// Replaces the search of a request with one of its candidates.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "tuner/tuner_group.hpp"

namespace adcl::interpose {

/// Always chooses the same candidate. Requests run it without consulting the decider.
class FixedChoice final : public runtime::Decider {
 public:
  /// Chooses \p candidate of \p decider, which outlives this object.
  FixedChoice(const runtime::Decider& decider, runtime::ModeCandidate candidate)
      : search_(decider), winner_(candidate) {
    lease_->left = std::numeric_limits<std::int64_t>::max() / 2;
  }

  select::Ticket next(std::int64_t /*request*/) override { return next_after_drop(); }
  [[nodiscard]] bool timed() const noexcept override { return false; }
  select::Ticket next_after_drop() override { return {static_cast<int>(winner_), -1, 0}; }
  void record_time(const select::Ticket& /*ticket*/, double /*seconds*/, std::int64_t /*request*/) override {}
  void amend(const select::Ticket& /*ticket*/, double /*seconds*/, std::int64_t /*request*/) override {}
  void drop(runtime::ModeCandidate /*candidate*/, const std::string& /*reason*/, std::int64_t /*request*/) override {}
  [[nodiscard]] bool is_last(runtime::ModeCandidate /*candidate*/) const override { return true; }
  void add_failure(runtime::ModeCandidate /*candidate*/, const std::string& /*reason*/) override {}
  [[nodiscard]] const std::string& final_failure() const noexcept override {
    static const std::string no;
    return no;
  }
  void add_preparation(double /*seconds*/) override {}
  [[nodiscard]] std::shared_ptr<runtime::LeaseCounter> lease() override { return lease_; }
  void reopen(const std::string& /*reason*/) override {}
  [[nodiscard]] bool decided() const noexcept override { return true; }
  [[nodiscard]] bool has_winner() const noexcept override { return true; }
  [[nodiscard]] int decisions() const noexcept override { return std::numeric_limits<int>::max() / 4; }
  [[nodiscard]] runtime::ModeCandidate winner() const noexcept override { return winner_; }
  [[nodiscard]] std::span<const select::Knowledge> knowledge() const override { return search_.knowledge(); }
  [[nodiscard]] bool synchronizes() const noexcept override { return false; }

 private:
  const runtime::Decider& search_;
  runtime::ModeCandidate winner_;
  std::shared_ptr<runtime::LeaseCounter> lease_ = std::make_shared<runtime::LeaseCounter>();
};

/// The fixed choice for the only mode that the request uses.
class FixedChoices final : public runtime::Deciders {
 public:
  FixedChoices(std::shared_ptr<runtime::TunerGroup> group, runtime::Mode mode, runtime::ModeCandidate candidate)
      : group_(std::move(group)), mode_(mode), choice_(group_->for_mode(mode), candidate) {}

  runtime::Decider& for_mode(runtime::Mode mode) override {
    return mode == mode_ ? static_cast<runtime::Decider&>(choice_) : group_->for_mode(mode);
  }
  [[nodiscard]] runtime::Decider* find(runtime::Mode mode) const override { return mode == mode_ ? &choice_ : nullptr; }
  [[nodiscard]] runtime::Candidate candidate(runtime::Mode mode, runtime::ModeCandidate member) const override {
    return group_->candidate(mode, member);
  }

 private:
  std::shared_ptr<runtime::TunerGroup> group_;
  runtime::Mode mode_;
  mutable FixedChoice choice_;
};

}  // namespace adcl::interpose
