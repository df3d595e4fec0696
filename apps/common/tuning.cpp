#include "common/tuning.hpp"

#include <nlohmann/json.hpp>

#include "common/report_line.hpp"

namespace apps {

void write_tuning(const Tuning& tuning, long exchanges, double total_s, std::ostringstream& text) {
  Line(text, "search") << tuning.search << ", " << tuning.candidates.size() << " codelets\n";
  Line(text, "searching") << tuning.searching_starts << " of " << exchanges << " exchanges, "
                          << seconds(tuning.searching_seconds) << ' ' << share(tuning.searching_seconds, total_s)
                          << '\n';
  Line(text, "winner") << (tuning.production ? tuning.winner : "none yet: the run ended before the search") << '\n';
}

nlohmann::json tuning_json(const Tuning& tuning) {
  nlohmann::json candidates = nlohmann::json::array();
  for (const Candidate& candidate : tuning.candidates) {
    candidates.push_back({{"name", candidate.name},
                          {"measurements", candidate.measurements},
                          {"mean_s", candidate.mean_s},
                          {"filtered_mean_s", candidate.filtered_mean_s}});
  }
  return {{"search", tuning.search},
          {"winner", tuning.winner},
          {"state", tuning.production ? "production" : "search"},
          {"searching_starts", tuning.searching_starts},
          {"searching_seconds", tuning.searching_seconds},
          {"candidates", candidates}};
}

}  // namespace apps
