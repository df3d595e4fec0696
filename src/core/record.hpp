/// \file record.hpp
/// The events of a run: one plain struct per event. The trace is a list of these records; reports and replays read only
/// the trace. Pure.
#pragma once

#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "core/expectation.hpp"
#include "core/option.hpp"
#include "core/problem.hpp"

namespace adcl {

/// Version of the records in a trace; readers reject unknown versions.
inline constexpr int record_schema = 5;

/// A request was created, with a new search or with an existing search.
struct RequestRecord {
  long long request = 0;  ///< the same number on all ranks of the communicator
  long long tuner = 0;
  int ranks = 0;  ///< size of the communicator
  bool merged = false;
  std::string function_set;
  std::string problem;
  Features features;
  std::vector<std::string> candidates;
  std::vector<std::string> excluded;  ///< "name: reason"
  std::vector<Expectation> expected;  ///< priors, one per candidate; empty: none
  std::string search;                 ///< the selection logic
  std::string outliers;               ///< the statistical method
  OptionValues options;               ///< the options of the logic and the method
};

/// The application named a request.
struct NameRecord {
  long long request = 0;
  long long tuner = 0;
  std::string name;
};

/// The search for one mode of a request began with results of earlier runs.
struct HistoryRecord {
  long long tuner = 0;
  std::string mode;
  /// "same problem": the stored winner of the same problem is re-checked; "similar problems": their results determine
  /// which candidates to try; "similar searches": searches of similar problems run at the same time and share their
  /// measurements.
  std::string kind;
  std::string winner{};                 ///< winner of the same problem
  std::vector<std::string> left_out{};  ///< candidates excluded because of similar problems
  std::string words{};                  ///< explanation of the source; on the communicator's rank 0
};

/// One operation was measured on this rank, or a time that the application passed replaced its measurement.
struct MeasurementRecord {
  long long request = 0;
  long long tuner = 0;
  std::string mode;     ///< mode of use; each mode has its own search
  long long start = 0;  ///< number of the start among all starts of the tuner
  std::string codelet;
  int sample = 0;
  double seconds = 0.0;
  bool replaces = false;    ///< replaces the earlier record of the same sample
  bool production = false;  ///< the start ran in production; sample is -1
  /// Time of completion, on the clock that the ranks share; NaN: not recorded.
  double left_s = std::numeric_limits<double>::quiet_NaN();
};

/// The ranks combined their numbers; one entry per candidate with new samples.
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

/// Cost of a search on one rank.
struct SearchCost {
  long long starts = 0;        ///< number of starts until the decision
  double operations_s = 0.0;   ///< time in the operations of these starts
  double preparation_s = 0.0;  ///< time for plans and agreements between these starts

  /// Time lost compared with the same number of starts of the winner, each of which takes \p winner_s.
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
  std::vector<std::string> ties;  ///< candidates that the measurements do not distinguish from the winner
  double winner_s = 0.0;          ///< judged time; infinity if not measured
  std::string first;              ///< the first candidate of the table
  double first_s = 0.0;           ///< like winner_s
  SearchCost cost;
  double lost_s = 0.0;       ///< time lost compared with the same number of starts of the winner
  bool provisional = false;  ///< the search continues if the program runs long enough for further trials to pay off
  bool confirmed = false;    ///< the winner of an earlier run was re-checked and kept
};

/// A decision was withdrawn: a new search begins, with earlier results as a prior.
struct ReopeningRecord {
  long long tuner = 0;
  std::string mode;
  long long start = 0;       ///< last start with the winner
  long long production = 0;  ///< number of starts in production
  std::string winner;        ///< winner of the withdrawn decision
  std::string reason;
};

/// The winner was compared in production with the first codelet of the table, by pairs of alternating starts.
struct GainRecord {
  long long tuner = 0;
  std::string mode;
  long long start = 0;
  std::string winner;
  std::string first;
  double speedup = 0.0;  ///< median over the pairs of (time of the first codelet / time of the winner)
  double low = 0.0;      ///< bounds of its confidence interval of at least 95 %
  double high = 0.0;
  int pairs = 0;
};

/// The last request of a search was freed: summary of all starts.
struct EndRecord {
  long long tuner = 0;
  std::string mode;
  long long starts = 0;
  long long production = 0;  ///< starts among these that ran the winner or the best so far without measuring
};

/// A codelet was dropped because some rank could not create its plan.
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
