#include "runtime/trace.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "mpi/environment.hpp"
#include "runtime/stopwatch.hpp"

namespace adcl::runtime {
namespace {

using Json = nlohmann::ordered_json;

struct Fields {
  Json operator()(const RequestRecord& r) const {
    Json features = Json::object();
    for (const Feature& feature : r.features) {
      std::visit([&](const auto& value) { features[feature.name] = value; }, feature.value);
    }
    return {{"event", "request"},    {"request", r.request}, {"emethod", r.emethod},
            {"ranks", r.ranks},      {"merged", r.merged},   {"function_set", r.function_set},
            {"problem", r.problem},  {"features", features}, {"candidates", r.candidates},
            {"excluded", r.excluded}};
  }
  Json operator()(const NameRecord& r) const {
    return {{"event", "name"}, {"request", r.request}, {"emethod", r.emethod}, {"name", r.name}};
  }
  Json operator()(const MeasurementRecord& r) const {
    return {{"event", "measurement"}, {"request", r.request}, {"emethod", r.emethod},
            {"mode", r.mode},         {"start", r.start},     {"codelet", r.codelet},
            {"sample", r.sample},     {"seconds", r.seconds}, {"replaces", r.replaces}};
  }
  Json operator()(const AgreementRecord& r) const {
    Json entries = Json::array();
    for (const auto& entry : r.entries) {
      entries.push_back({{"codelet", entry.codelet},
                         {"mean_s", entry.mean_s},
                         {"filtered_mean_s", entry.filtered_mean_s},
                         {"outliers", entry.outliers},
                         {"measurements", entry.measurements},
                         {"spread_s", entry.spread_s},
                         {"judged_s", entry.judged_s},
                         {"removed", entry.removed}});
    }
    return {{"event", "agreement"}, {"emethod", r.emethod}, {"mode", r.mode}, {"start", r.start}, {"entries", entries}};
  }
  Json operator()(const DecisionRecord& r) const {
    return {{"event", "decision"},
            {"emethod", r.emethod},
            {"mode", r.mode},
            {"start", r.start},
            {"winner", r.winner},
            {"reason", r.reason},
            {"ties", r.ties},
            {"winner_s", r.winner_s},
            {"first", r.first},
            {"first_s", r.first_s},
            {"searching_starts", r.cost.starts},
            {"searching_s", r.cost.operations_s},
            {"preparation_s", r.cost.preparation_s},
            {"lost_s", r.lost_s}};
  }
  Json operator()(const ReopeningRecord& r) const {
    return {{"event", "reopening"},       {"emethod", r.emethod}, {"mode", r.mode},    {"start", r.start},
            {"production", r.production}, {"winner", r.winner},   {"reason", r.reason}};
  }
  Json operator()(const DropRecord& r) const {
    return {{"event", "drop"}, {"request", r.request}, {"emethod", r.emethod},
            {"mode", r.mode},  {"codelet", r.codelet}, {"reason", r.reason}};
  }
};

struct Buffer {
  std::mutex mutex;
  std::map<std::string, std::string> lines;  ///< folder -> text
};

Buffer& buffer() {
  static Buffer all;
  return all;
}

}  // namespace

std::string to_json(const Record& record, const std::string& communicator, double time_s, int rank) {
  Json line = {{"schema", record_schema}};
  Json fields = std::visit(Fields{}, record);
  line["event"] = fields["event"];
  line["time_s"] = time_s;
  line["rank"] = rank;
  line["communicator"] = communicator;
  line.update(fields);
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void note(const std::string& folder, const mpi::Context& context, const Record& record) {
  if (folder == "off") {
    return;
  }
  const mpi::Context::Order& order = context.order();
  const std::string communicator = text(order[0], ".", order[1], ".", order[2]);
  const std::string line = to_json(record, communicator, now(), mpi::world_rank());
  const std::scoped_lock lock(buffer().mutex);
  buffer().lines[folder] += line + "\n";
}

void flush_trace() {
  const std::scoped_lock lock(buffer().mutex);
  auto waiting = std::move(buffer().lines);
  buffer().lines.clear();
  std::string failed;
  for (const auto& [folder, lines] : waiting) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    const auto path = std::filesystem::path(folder) / text("adcl.", mpi::world_rank(), ".jsonl");
    std::ofstream file(path, std::ios::app);
    file << lines << std::flush;
    if (!file.good()) {
      failed = text("ADCL_TRACE=", folder, ": ", path.string(), " cannot be written");
    }
  }
  require(failed.empty(), Code::file, failed);
}

}  // namespace adcl::runtime
