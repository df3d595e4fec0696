#include "report.hpp"

#include <cstdarg>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace solver3d {
namespace {

constexpr double micro = 1e6;

[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, pattern, arguments);
  va_end(arguments);
  std::string result(static_cast<std::size_t>(length), '\0');
  std::vsnprintf(result.data(), result.size() + 1, pattern, again);
  va_end(again);
  return result;
}

std::string extents(const Extents& value) {
  return format("%d x %d x %d", value[0], value[1], value[2]);
}

std::string percent_of(double part, double whole) {
  return format("%.1f %%", whole > 0.0 ? 100.0 * part / whole : 0.0);
}

std::string checksum(std::uint64_t value) {
  return format("%016llx", static_cast<unsigned long long>(value));
}

std::string tuning_text(const Record& record) {
  const Tuning& tuning = *record.tuning;
  std::string text;
  text += format("search            %s, %zu codelets\n", tuning.search.c_str(), tuning.candidates.size());
  if (tuning.production) {
    text += format("winner            %s\n", tuning.winner.c_str());
    text +=
        format("searching         %d of %d exchanges, %.4f s (%s of all)\n", tuning.searching_starts, record.exchanges,
               tuning.searching_seconds, percent_of(tuning.searching_seconds, record.total_s).c_str());
  } else {
    text += format("winner            none yet: all %d exchanges went into the search\n", tuning.searching_starts);
  }
  return text;
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
  std::string text;
  text += format("mpi               %s\n", record.mpi.c_str());
  text += format("processes         %d (%s)\n", record.ranks, extents(record.processes).c_str());
  text +=
      format("grid              %s, %s per process\n", extents(record.points).c_str(), extents(record.block).c_str());
  text += format("exchange          %s%s\n", record.exchange.c_str(), record.overlap ? ", overlapping" : "");
  text += format("iterations        %d, in %d time step%s%s\n", record.iterations, record.steps,
                 record.steps == 1 ? "" : "s", record.complete ? "" : " and an unfinished one");
  if (record.restarts > 0) {
    text += format("restarts          %d, after breakdowns of TFQMR\n", record.restarts);
  }
  text += format("residual          %.3e, bound by the recurrence %.3e: %s\n", record.residual, record.residual_bound,
                 record.residual_agrees() ? "ok" : "WRONG");
  text += format("error             %.3e (largest %.3e), at most %.3e expected: %s\n", record.error, record.error_max,
                 record.error_limit, record.error_agrees() ? "ok" : "WRONG");
  text += format("checksum          %s, history %s\n", checksum(record.solution_checksum).c_str(),
                 checksum(record.history_checksum).c_str());
  text += format("total time        %.4f s (besides, set-up %.4f s)\n", record.total_s, record.setup_s);
  text += format("in exchanges      %.4f s (%s)\n", record.exchange_s,
                 percent_of(record.exchange_s, record.total_s).c_str());
  text += format("in scalar products %.4f s (%s)\n", record.reduction_s,
                 percent_of(record.reduction_s, record.total_s).c_str());
  text += format("per exchange      %.2f us%s\n", record.exchange_mean_s * micro,
                 record.tuning ? ", after the search" : "");
  if (record.tuning) {
    text += tuning_text(record);
  }
  return text;
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
