/// \file verification.hpp
/// Earlier knowledge as a prior to verify: is its winner what it was? If so it has won again; if not, a search begins.
/// Pure.
///
/// The winner of the earlier knowledge, or where that is not told its fastest candidate, runs three executions that
/// do not count and at most five that do. It has kept its time when the shortest of the new ones is not longer than the
/// old one by more than a tenth and twice the standard error of the difference of the two means: what disturbs some of
/// five executions says nothing of the codelet. What is faster than it was has kept its time too: the ranks have then
/// no reason to doubt it. All else that was known stands beside it, as it was, and so does its own old time where some
/// of the new ones were longer.
///
/// What another run has learnt (Doubt::another_run) is of executions in its prime, and the first ones of a program all
/// take longer. There a winner also holds that takes at most half as long again as it did, and still less than any
/// other candidate that was measured took: it would win. A winner that takes less than a tenth of its stored time does
/// not hold: the times are of another state of the machine, or wrong, and the search that begins expects nothing of
/// them.
///
/// Earlier knowledge may be suspected to be of a disturbed machine (Doubt::faster). Then what is faster than it was, by
/// a quarter, has not kept its time either, and the search that begins expects nothing of what was known.
///
/// When it has not, the earlier knowledge is of another state of the machine and is let go: the search begins as
/// if nothing was known, but that one which uses expectations expects the times that were. When the candidate is
/// dropped before, the next in speed is verified in its place. An earlier knowledge without any measurement is none.
///
/// Why all ranks take the same branch: the earlier knowledge is the same on all ranks, and the new numbers were
/// reduced.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "select/search.hpp"

namespace adcl::select {

/// Executions that do not count, before those that do: the first ones of a program are slow.
inline constexpr int verification_warm_ups = 3;
/// Executions whose times count, at most.
inline constexpr int verification_measurements = 5;

/// What is known of a candidate as a prior: the time that the search judged it by, whatever disturbances its
/// measurements had in them, and of their scatter no more than half of that time. Not measured: all 0.
measure::Numbers as_prior(const Knowledge& known);

/// Why earlier knowledge is in doubt.
enum class Doubt {
  another_run,  ///< it is of another run of the program, or of another program
  slower,       ///< starts take longer than they did
  faster        ///< starts take less than they did
};

class Verification final : public Search {
 public:
  /// \p make makes the search that begins when the prior does not hold, of the same candidates, which expect
  /// of themselves what is known by then, and parameters.
  /// \p prior has one entry per candidate. \p favourite is verified, where it is known and can run; -1: the fastest.
  /// Throws Error(argument) for a prior of another length.
  Verification(const std::vector<Candidate>& candidates, const AttributeSet& attributes, const Parameters& parameters,
               std::span<const measure::Numbers> prior,
               std::function<std::unique_ptr<Search>(std::vector<Candidate>)> make, Doubt doubt, int favourite = -1);
  ~Verification() override;
  Verification(const Verification&) = delete;
  Verification& operator=(const Verification&) = delete;

  Ticket next() override;
  int skip() override { return stage().skip(); }
  bool record(const Ticket& ticket, double seconds, double left_s) override;
  using Search::record;
  void spend(int candidate, double seconds) override { stage().spend(candidate, seconds); }
  bool amend(const Ticket& ticket, double seconds) override;
  [[nodiscard]] bool ready() const override { return stage().ready(); }
  [[nodiscard]] std::vector<double> pending() const override { return stage().pending(); }
  void absorb(std::span<const double> reduced) override;
  void drop(int candidate, const std::string& reason) override;
  /// Throws Error(state): it has its knowledge already.
  void prime(std::span<const measure::Numbers> known) override;
  [[nodiscard]] const std::optional<Verdict>& verdict() const override { return stage().verdict(); }
  [[nodiscard]] const std::optional<Verdict>& provisional() const override { return stage().provisional(); }
  [[nodiscard]] const std::vector<Knowledge>& knowledge() const override { return stage().knowledge(); }
  /// What decided was a candidate that has kept its time.
  [[nodiscard]] bool held() const;
  /// The earlier knowledge does not hold: a search has begun.
  [[nodiscard]] bool failed() const noexcept { return anew_ != nullptr; }

 private:
  class Check;
  [[nodiscard]] Search& stage() const;
  void begin_anew_unless_held();

  std::unique_ptr<Check> check_;
  std::function<std::unique_ptr<Search>(std::vector<Candidate>)> make_;
  std::unique_ptr<Search> anew_;      ///< null while the check decides
  std::vector<std::string> dropped_;  ///< why, per candidate; empty: it was not
  int slots_ = 0;                     ///< of the check: those of the search that follows count from here
};

}  // namespace adcl::select
