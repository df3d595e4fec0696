/// \file record.hpp
/// What happened: one plain struct per event. The trace is a list of these; reports and replays read nothing else.
/// Pure.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace adcl {

/// Version of the records in a trace; a reader refuses others.
inline constexpr int record_schema = 1;

/// A request came to be, with a search of its own or sharing an earlier one.
struct RequestRecord {
  long long request = 0;  ///< the same number on all ranks of the communicator
  long long emethod = 0;
  bool merged = false;
  std::string function_set;
  std::string problem;
  std::vector<std::string> candidates;
  std::vector<std::string> excluded;  ///< "name: reason"
};

/// One operation was measured on this rank, or its measurement was replaced by a time that the application gave.
struct MeasurementRecord {
  long long request = 0;
  long long emethod = 0;
  long long start = 0;  ///< number of the start among all starts of the emethod
  std::string codelet;
  int sample = 0;
  double seconds = 0.0;
  bool replaces = false;  ///< the earlier record of the same sample
};

/// The ranks combined their numbers; one entry per candidate that has any.
struct AgreementRecord {
  struct Entry {
    std::string codelet;
    double mean_s = 0.0;
    double filtered_mean_s = 0.0;
    double outliers = 0.0;
    double measurements = 0.0;
    double judged_s = 0.0;
    std::string removed;
  };
  long long emethod = 0;
  long long start = 0;
  std::vector<Entry> entries;
};

/// A search ended.
struct DecisionRecord {
  long long emethod = 0;
  long long start = 0;
  std::string winner;
  std::string reason;
};

/// A codelet was dropped because its plan could not be made on some rank.
struct DropRecord {
  long long request = 0;
  long long emethod = 0;
  std::string codelet;
  std::string reason;
};

using Record = std::variant<RequestRecord, MeasurementRecord, AgreementRecord, DecisionRecord, DropRecord>;

}  // namespace adcl
