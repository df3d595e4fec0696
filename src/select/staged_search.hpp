/// \file staged_search.hpp
/// Base of searches that consist of consecutive stages, each of which is a search of all or some of the candidates.
/// Pure.
///
/// A ticket names a candidate of the whole search, and slots increase over all stages. So a time of an earlier stage is
/// ignored, and so are reduced numbers of an earlier stage. A candidate that was dropped stays dropped in later stages.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "select/search.hpp"

namespace adcl::select {

class StagedSearch : public Search {
 public:
  Ticket next() final;
  int skip() final { return stage_->skip(); }
  bool record(const Ticket& ticket, double seconds, double left_s) final;
  using Search::record;
  void spend(int candidate, double seconds) final;
  bool amend(const Ticket& ticket, double seconds) final;
  [[nodiscard]] bool ready() const final { return stage_->ready(); }
  [[nodiscard]] std::vector<double> pending() const final { return stage_->pending(); }
  void absorb(std::span<const double> reduced) final;
  void drop(int candidate, const std::string& reason) final;
  /// \throws Error(state): only constructors take earlier results.
  void prime(std::span<const measure::Numbers> known) final;

 protected:
  explicit StagedSearch(std::size_t candidates) : dropped_(candidates) {}

  /// Begins a stage. \p stage is a search of \p members, which are candidates of this search.
  void begin(std::vector<int> members, std::unique_ptr<Search> stage);
  void begin_with_all(std::unique_ptr<Search> stage);
  /// Called when the stage has absorbed numbers, or a candidate was dropped. Begins the next stage if that is due, and
  /// must do so if no member of the stage can run.
  virtual void follow() = 0;

  [[nodiscard]] const Search& stage() const noexcept { return *stage_; }
  [[nodiscard]] const std::vector<int>& members() const noexcept { return members_; }
  /// The index among the members of the stage; -1: it is not a member.
  [[nodiscard]] int member_index(int candidate) const;
  /// Why the candidate was dropped; empty: it was not.
  [[nodiscard]] const std::string& dropped(int candidate) const {
    return dropped_[static_cast<std::size_t>(candidate)];
  }

 private:
  [[nodiscard]] Ticket in_stage(const Ticket& ticket) const;

  std::vector<int> members_;
  std::unique_ptr<Search> stage_;
  std::vector<std::string> dropped_;
  int first_slot_ = 0;  ///< of the stage
  int slots_ = 0;       ///< handed out by all stages
};

}  // namespace adcl::select
