/// \file tuner_log.hpp
/// Writes the trace records and the report summary of one tuner, and adds up the cost of its search.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/record.hpp"
#include "mpi/context.hpp"
#include "options/options.hpp"
#include "output/report.hpp"
#include "select/search.hpp"
#include "select/subject.hpp"
#include "tuner/decider.hpp"

namespace adcl::runtime {

/// Writes on this rank only; no decision of the ranks depends on it.
class TunerLog {
 public:
  /// The arguments outlive the log.
  TunerLog(mpi::Context& context, const select::Subject& subject, const Settings& settings, Mode mode)
      : context_(context), subject_(subject), settings_(settings), mode_(mode) {}

  [[nodiscard]] Mode mode() const noexcept { return mode_; }
  /// Adds \p seconds of a start to the cost of the search.
  void spend(const select::Ticket& ticket, double seconds);
  /// Adds \p seconds of plans and agreements.
  void prepare(double seconds) { cost_.preparation_s += seconds; }
  /// Replaces the time of the start of \p ticket with \p seconds. Returns the difference; 0 unless it is the start of
  /// the last spend().
  double correct(const select::Ticket& ticket, double seconds);
  [[nodiscard]] const SearchCost& cost() const noexcept { return cost_; }

  /// Writes any record.
  void write(const Record& record) const;
  /// \p production: the time does not count for the search. \p replaces: the application supplied it.
  void measurement(const select::Ticket& ticket, double seconds, double left_s, std::int64_t request, bool production,
                   bool replaces) const;
  /// Writes the candidates with new results since the last agreement.
  void agreement(std::int64_t start, const std::vector<select::Knowledge>& known);
  void decision(std::int64_t start, const select::Verdict& verdict, const std::string& reason,
                const std::vector<select::Knowledge>& known, bool provisional, bool confirmed) const;
  void drop(std::int64_t request, ModeCandidate candidate, const std::string& reason) const;
  /// Records that the decision for \p winner is withdrawn after \p production starts in production.
  void reopening(std::int64_t start, std::int64_t production, ModeCandidate winner, const std::string& reason);
  /// Makes the next agreement record contain all candidates with results.
  void begin_search() { shown_.clear(); }

  /// Keeps the summary of \p search for the report. \p history: the source of stored results.
  void report(const select::Search& search, std::int64_t starts, std::int64_t production, const std::string& history,
              const std::string& remark, const std::optional<select::Gain>& gain);
  /// True after report().
  [[nodiscard]] bool reported() const noexcept { return reported_; }

 private:
  [[nodiscard]] bool traces() const { return settings_.trace != "off"; }
  [[nodiscard]] const std::string& name(int candidate) const {
    return subject_.candidates[static_cast<std::size_t>(candidate)].name;
  }

  /// The values of a candidate that the trace contains.
  struct Shown {
    double measurements = 0.0;
    double judged_s = 0.0;
    bool removed = false;
    bool operator==(const Shown&) const = default;
  };

  mpi::Context& context_;
  const select::Subject& subject_;
  const Settings& settings_;
  Mode mode_;
  std::vector<Shown> shown_;  ///< values at the last agreement
  SearchCost cost_;
  int spent_slot_ = -1;   ///< slot of the last spend()
  double spent_s_ = 0.0;  ///< the seconds of the last spend()
  int reopened_ = 0;
  bool reported_ = false;
};

}  // namespace adcl::runtime
