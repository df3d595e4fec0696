/// \file record.hpp
/// What happened: one plain struct per event. The trace is a list of these; reports and replays read nothing else.
/// Pure.
#pragma once

#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "core/expectation.hpp"
#include "core/option.hpp"
#include "core/problem.hpp"

namespace adcl {

/// Version of the records in a trace; a reader refuses those that it does not know.
inline constexpr int record_schema = 5;

/// A request came to be, with a search of its own or sharing an earlier one.
struct RequestRecord {
  long long request = 0;  ///< the same number on all ranks of the communicator
  long long tuner = 0;
  int ranks = 0;  ///< of the communicator
  bool merged = false;
  std::string function_set;
  std::string problem;
  Features features;
  std::vector<std::string> candidates;
  std::vector<std::string> excluded;  ///< "name: reason"
  std::vector<Expectation> expected;  ///< one entry per candidate, before anything was measured; empty: none
  std::string search;                 ///< the selection logic
  std::string outliers;               ///< the statistical method
  OptionValues options;               ///< what these two read
};

/// The application named a request.
struct NameRecord {
  long long request = 0;
  long long tuner = 0;
  std::string name;
};

/// A way of using a request began with what earlier runs had learnt.
struct HistoryRecord {
  long long tuner = 0;
  std::string mode;
  /// "same problem": its winner is verified; "similar problems": they say what is worth trying; "similar searches":
  /// they run at the same time and tell what they measure.
  std::string kind;
  std::string winner{};                 ///< of the same problem
  std::vector<std::string> left_out{};  ///< by what similar problems say
  std::string words{};                  ///< where that comes from; on the communicator's rank 0
};

/// One operation was measured on this rank, or its measurement was replaced by a time that the application gave.
struct MeasurementRecord {
  long long request = 0;
  long long tuner = 0;
  std::string mode;     ///< the way of use: each has a search of its own
  long long start = 0;  ///< number of the start among all starts of the tuner
  std::string codelet;
  int sample = 0;
  double seconds = 0.0;
  bool replaces = false;    ///< the earlier record of the same sample
  bool production = false;  ///< it was decided before it began: sample is -1
  /// When it was complete, on the clock that the ranks share; NaN: nobody asked.
  double left_s = std::numeric_limits<double>::quiet_NaN();
};

/// The ranks combined their numbers; one entry per candidate of which more is known than before.
struct AgreementRecord {
  struct Entry {
    std::string codelet;
    double mean_s = 0.0;
    double filtered_mean_s = 0.0;
    double outliers = 0.0;
    double measurements = 0.0;
    double spread_s = 0.0;
    double judged_s = 0.0;
    std::string removed;
  };
  long long tuner = 0;
  std::string mode;
  long long start = 0;
  std::vector<Entry> entries;
};

/// What a search has taken on one rank.
struct SearchCost {
  long long starts = 0;        ///< until the decision
  double operations_s = 0.0;   ///< in the operations of these starts
  double preparation_s = 0.0;  ///< in making plans and agreeing, between these starts

  /// What the starts have taken beyond as many of the winner, which takes \p winner_s.
  [[nodiscard]] double lost_s(double winner_s) const {
    const double lost = operations_s + preparation_s - static_cast<double>(starts) * winner_s;
    return lost > 0.0 ? lost : 0.0;
  }
};

/// A search ended.
struct DecisionRecord {
  long long tuner = 0;
  std::string mode;
  long long start = 0;
  std::string winner;
  std::string reason;
  std::vector<std::string> ties;  ///< candidates that the measurements do not separate from the winner
  double winner_s = 0.0;          ///< judged; infinity when not measured
  std::string first;              ///< the first candidate of the table
  double first_s = 0.0;           ///< judged, as winner_s
  SearchCost cost;
  double lost_s = 0.0;       ///< what the search has cost beyond the same number of starts of the winner
  bool provisional = false;  ///< the search tries others if the program runs long enough for that to pay
  bool confirmed = false;    ///< an earlier run's winner has kept its time
};

/// A decision was withdrawn: a search begins again, with what was known before as a prior.
struct ReopeningRecord {
  long long tuner = 0;
  std::string mode;
  long long start = 0;       ///< the last one that the winner ran
  long long production = 0;  ///< starts that were decided before they began
  std::string winner;        ///< of the decision
  std::string reason;
};

/// In production the winner was compared with the first codelet of the table, by pairs of starts that run in turns.
struct GainRecord {
  long long tuner = 0;
  std::string mode;
  long long start = 0;
  std::string winner;
  std::string first;
  double speedup = 0.0;  ///< the median over the pairs of the first codelet's time divided by the winner's
  double low = 0.0;      ///< ends of its interval, with a confidence of at least 95 %
  double high = 0.0;
  int pairs = 0;
};

/// The use of a search is over: what became of all starts.
struct EndRecord {
  long long tuner = 0;
  std::string mode;
  long long starts = 0;
  long long production = 0;  ///< of these: starts that ran the winner, or what led, without being measured
};

/// A codelet was dropped because its plan could not be made on some rank.
struct DropRecord {
  long long request = 0;
  long long tuner = 0;
  std::string mode;
  std::string codelet;
  std::string reason;
};

using Record = std::variant<RequestRecord, NameRecord, HistoryRecord, MeasurementRecord, AgreementRecord,
                            DecisionRecord, ReopeningRecord, GainRecord, EndRecord, DropRecord>;

}  // namespace adcl
