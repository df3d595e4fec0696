/// \file staged_search.hpp
/// Base class of searches that consist of consecutive stages. A stage is a search of all or some candidates. Pure.
///
/// Slots increase over all stages, so times and reduced numbers of an earlier stage are ignored. A dropped candidate
/// stays dropped in later stages.
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

  /// Begins a stage: a search of the candidates \p members.
  void begin(std::vector<int> members, std::unique_ptr<Search> stage);
  void begin_with_all(std::unique_ptr<Search> stage);
  /// Called after the stage has absorbed numbers, or a candidate was dropped. Begins the next stage if necessary, and
  /// in any case if no member of the stage is left.
  virtual void follow() = 0;

  [[nodiscard]] const Search& stage() const noexcept { return *stage_; }
  [[nodiscard]] const std::vector<int>& members() const noexcept { return members_; }
  /// Index among the members of the stage; -1: not a member.
  [[nodiscard]] int member_index(int candidate) const;
  /// Why the candidate was dropped; empty: not dropped.
  [[nodiscard]] const std::string& drop_reason(int candidate) const { return dropped_[at(candidate)]; }

 private:
  [[nodiscard]] Ticket in_stage(const Ticket& ticket) const;

  std::vector<int> members_;
  std::unique_ptr<Search> stage_;
  std::vector<std::string> dropped_;
  int first_slot_ = 0;  ///< first slot of the stage
  int slots_ = 0;       ///< slots used by all stages
};

}  // namespace adcl::select
