/// \file tuner_group.hpp
/// The tuners of a problem, and the lookup of tuners that later requests can share.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/codelet.hpp"
#include "select/subject.hpp"
#include "tuner/tuner.hpp"

namespace adcl::runtime {

/// The tuners of one problem, one per mode, created when the mode is first used.
class TunerGroup final : public Deciders {
 public:
  /// \p rows and \p capabilities: of each candidate.
  TunerGroup(std::shared_ptr<mpi::Context> context, select::Subject subject, std::shared_ptr<const Settings> settings,
             std::vector<Row> rows, std::vector<Capabilities> capabilities, std::uint64_t signature,
             std::uint64_t identity, std::shared_ptr<ProblemHistory> history = nullptr);

  /// For `split`, only nonblocking codelets are candidates, unless the set or ADCL_OVERLAP_BLOCKING admits blocking
  /// codelets. For modes with other arrays, only codelets that are not bound to addresses are candidates.
  Tuner& for_mode(Mode mode) override;
  /// Results of an earlier search, one entry per candidate of the problem. Throws Error(state) after the first start.
  void prime(std::vector<measure::Numbers> known);
  /// Modes that begin later verify the primed results.
  void verify_primed_results() { verifies_primed_ = true; }
  /// Keeps the summaries of all modes for the report.
  void report();
  void add_name(const std::string& name);
  [[nodiscard]] Tuner* find(Mode mode) const override { return tuners_.at(index_of(mode)).get(); }
  [[nodiscard]] Candidate candidate(Mode mode, ModeCandidate member) const override {
    return members_.at(index_of(mode)).at(index_of(member));
  }
  [[nodiscard]] const select::Subject& subject() const noexcept { return subject_; }
  [[nodiscard]] const Settings& settings() const noexcept { return *settings_; }
  /// The row of each candidate in the table of the function set.
  [[nodiscard]] const std::vector<Row>& rows() const noexcept { return rows_; }
  [[nodiscard]] std::uint64_t signature() const noexcept { return signature_; }
  /// Null if there is no history.
  [[nodiscard]] const std::shared_ptr<ProblemHistory>& history() const noexcept { return history_; }
  /// Identifies the problem on all ranks; part of the key of the history.
  [[nodiscard]] std::uint64_t identity() const noexcept { return identity_; }

 private:
  [[nodiscard]] bool admits(Mode mode, const Capabilities& capabilities) const;
  [[noreturn]] void throw_no_candidate(Mode mode) const;

  std::shared_ptr<mpi::Context> context_;
  select::Subject subject_;
  std::shared_ptr<const Settings> settings_;
  std::vector<Row> rows_;
  std::vector<Capabilities> capabilities_;
  std::uint64_t signature_;
  std::uint64_t identity_;
  std::shared_ptr<ProblemHistory> history_;
  std::array<std::unique_ptr<Tuner>, mode_count> tuners_;
  std::array<std::vector<Candidate>, mode_count> members_;
  std::vector<measure::Numbers> known_;
  bool verifies_primed_ = false;
};

/// Groups by the signature of the request that created them, in order of creation. A lookup takes as long with a
/// thousand problems as with one.
class TunerGroups {
 public:
  /// The first group that is alive, or null.
  [[nodiscard]] std::shared_ptr<TunerGroup> find(std::uint64_t signature) {
    const auto known = groups_.find(signature);
    if (known == groups_.end()) {
      return nullptr;
    }
    std::erase_if(known->second, [](const auto& group) { return group.expired(); });
    return known->second.empty() ? nullptr : known->second.front().lock();
  }
  void add(const std::shared_ptr<TunerGroup>& group) {
    if (groups_.size() >= sweep_at_) {  // twice the number of live groups: amortized constant cost
      std::erase_if(groups_, [](const auto& entry) {
        return std::ranges::all_of(entry.second, [](const auto& known) { return known.expired(); });
      });
      sweep_at_ = 2 * groups_.size() + 64;
    }
    groups_[group->signature()].push_back(group);
  }

 private:
  std::unordered_map<std::uint64_t, std::vector<std::weak_ptr<TunerGroup>>> groups_;
  std::size_t sweep_at_ = 64;
};

}  // namespace adcl::runtime
