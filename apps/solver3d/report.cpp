#include "report.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "common/report_line.hpp"
#include "common/tuning.hpp"

namespace solver3d {
namespace {

using apps::checksum;
using apps::fixed;
using apps::Line;
using apps::scientific;
using apps::seconds;
using apps::share;
using apps::verdict;

std::string extents(const Extents& value) {
  return std::to_string(value[0]) + " x " + std::to_string(value[1]) + " x " + std::to_string(value[2]);
}

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
  Line(text, "total time") << seconds(record.total_s) << ", without set-up " << seconds(record.setup_s) << '\n';
  Line(text, "in exchanges") << seconds(record.exchange_s) << ' ' << share(record.exchange_s, record.total_s) << '\n';
  Line(text, "in scalar products") << seconds(record.reduction_s) << ' ' << share(record.reduction_s, record.total_s)
                                   << '\n';
  if (!record.tuning || record.tuning->production) {
    Line(text, "per exchange") << fixed(1e6 * record.exchange_mean_s, 2) << " us"
                               << (record.tuning ? ", after the search\n" : "\n");
  }
}

}  // namespace

std::string as_text(const Record& record) {
  std::ostringstream text;
  write_problem(record, text);
  write_answer(record, text);
  write_times(record, text);
  if (record.tuning) {
    apps::write_tuning(*record.tuning, record.exchanges, record.total_s, text);
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
      {"tuning", record.tuning ? apps::tuning_json(*record.tuning) : nlohmann::json(nullptr)},
  };
  return json.dump() + "\n";
}

}  // namespace solver3d
