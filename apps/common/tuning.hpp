/// \file tuning.hpp
/// The result of an exchange that tunes itself, for reports.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace apps {

struct Candidate {
  std::string name;
  int measurements = 0;
  double mean_s = 0.0;
  double filtered_mean_s = 0.0;
};

struct Tuning {
  std::string search;  ///< the selection logic
  std::string winner;  ///< "" while searching
  bool production = false;
  int searching_starts = 0;      ///< exchanges until the winner was known
  double searching_seconds = 0;  ///< spent in these exchanges on this rank
  std::vector<Candidate> candidates;
};

/// Writes three lines for users; \p exchanges and \p total_s are the totals of the run.
void write_tuning(const Tuning& tuning, long exchanges, double total_s, std::ostringstream& text);

nlohmann::json tuning_json(const Tuning& tuning);

}  // namespace apps
