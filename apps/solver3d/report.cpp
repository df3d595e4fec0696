#include "report.hpp"

#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

namespace solver3d {
namespace {

std::string fixed(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

std::string scientific(double value) {
  std::ostringstream text;
  text << std::scientific << std::setprecision(3) << value;
  return text.str();
}

std::string seconds(double value) { return fixed(value, 4) + " s"; }

std::string share(double part, double whole) {
  std::ostringstream text;
  text << '(' << fixed(whole > 0.0 ? 100.0 * part / whole : 0.0, 1) << " % of the total)";
  return text.str();
}

std::string extents(const Extents& value) {
  return std::to_string(value[0]) + " x " + std::to_string(value[1]) + " x " + std::to_string(value[2]);
}

std::string checksum(std::uint64_t value) {
  std::ostringstream text;
  text << std::hex << std::setfill('0') << std::setw(16) << value;
  return text.str();
}

const char* verdict(bool correct) { return correct ? ": ok\n" : ": WRONG\n"; }

/// A line of the report: what, and its value.
class Line {
 public:
  Line(std::ostringstream& text, std::string_view name) : text_(text) { text_ << std::left << std::setw(20) << name; }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line() = default;

  template <typename Value>
  Line& operator<<(const Value& value) {
    text_ << value;
    return *this;
  }

 private:
  std::ostringstream& text_;
};

void write_problem(const Record& record, std::ostringstream& text) {
  Line(text, "mpi") << record.mpi << '\n';
  Line(text, "processes") << record.ranks << " (" << extents(record.processes) << ")\n";
  Line(text, "grid") << extents(record.points) << ", " << extents(record.block) << " per process\n";
  Line(text, "exchange") << record.exchange << (record.overlap ? ", overlapping\n" : "\n");
}

void write_answer(const Record& record, std::ostringstream& text) {
  Line(text, "iterations") << record.iterations << ", " << record.steps
                           << (record.steps == 1 ? " time step" : " time steps")
                           << (record.complete ? "\n" : " and one unfinished\n");
  if (record.restarts > 0) {
    Line(text, "restarts") << record.restarts << ", after breakdowns of TFQMR\n";
  }
  Line(text, "residual") << scientific(record.residual) << ", bound by the recurrence "
                         << scientific(record.residual_bound) << verdict(record.residual_agrees());
  Line(text, "error") << scientific(record.error) << " (largest " << scientific(record.error_max)
                      << "), expected at most " << scientific(record.error_limit) << verdict(record.error_agrees());
  Line(text, "checksum") << checksum(record.solution_checksum) << ", history " << checksum(record.history_checksum)
                         << '\n';
}

void write_times(const Record& record, std::ostringstream& text) {
  Line(text, "total time") << seconds(record.total_s) << ", besides set-up " << seconds(record.setup_s) << '\n';
  Line(text, "in exchanges") << seconds(record.exchange_s) << ' ' << share(record.exchange_s, record.total_s) << '\n';
  Line(text, "in scalar products") << seconds(record.reduction_s) << ' ' << share(record.reduction_s, record.total_s)
                                   << '\n';
  if (!record.tuning || record.tuning->production) {
    Line(text, "per exchange") << fixed(1e6 * record.exchange_mean_s, 2) << " us"
                               << (record.tuning ? ", after the search\n" : "\n");
  }
}

void write_tuning(const Record& record, std::ostringstream& text) {
  const Tuning& tuning = *record.tuning;
  Line(text, "search") << tuning.search << ", " << tuning.candidates.size() << " codelets\n";
  Line(text, "searching") << tuning.searching_starts << " of " << record.exchanges << " exchanges, "
                          << seconds(tuning.searching_seconds) << ' ' << share(tuning.searching_seconds, record.total_s)
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

}  // namespace

std::string as_text(const Record& record) {
  std::ostringstream text;
  write_problem(record, text);
  write_answer(record, text);
  write_times(record, text);
  if (record.tuning) {
    write_tuning(record, text);
  }
  return text.str();
}

std::string as_json(const Record& record) {
  const nlohmann::json json{
      {"mpi", record.mpi},
      {"ranks", record.ranks},
      {"processes", record.processes},
      {"block", record.block},
      {"points", record.points},
      {"exchange", record.exchange},
      {"overlap", record.overlap},
      {"tolerance", record.tolerance},
      {"iterations", record.iterations},
      {"steps", record.steps},
      {"complete", record.complete},
      {"restarts", record.restarts},
      {"residual", {{"value", record.residual}, {"bound", record.residual_bound}, {"limit", record.residual_limit}}},
      {"error", {{"value", record.error}, {"largest", record.error_max}, {"limit", record.error_limit}}},
      {"correct", record.correct()},
      {"checksum", {{"solution", checksum(record.solution_checksum)}, {"history", checksum(record.history_checksum)}}},
      {"seconds",
       {{"setup", record.setup_s},
        {"total", record.total_s},
        {"exchange", record.exchange_s},
        {"reduction", record.reduction_s},
        {"per_exchange", record.exchange_mean_s}}},
      {"exchanges", record.exchanges},
      {"tuning", record.tuning ? tuning_json(*record.tuning) : nlohmann::json(nullptr)},
  };
  return json.dump() + "\n";
}

}  // namespace solver3d
