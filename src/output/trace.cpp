#include "output/trace.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "core/error.hpp"
#include "measure/stopwatch.hpp"
#include "mpi/environment.hpp"

namespace adcl::runtime {
namespace {

using Json = nlohmann::ordered_json;

struct Fields {
  Json operator()(const RequestRecord& r) const {
    Json features = Json::object();
    for (const Feature& feature : r.features) {
      std::visit([&](const auto& value) { features[feature.name] = value; }, feature.value);
    }
    Json expected = Json::array();  // unknown values become null
    for (const Expectation& one : r.expected) {
      expected.push_back({{"log_time", one.log_time}, {"first", one.first}});
    }
    Json options = Json::object();
    for (const auto& option : r.options.all()) {
      std::visit([&](const auto& value) { options[option.first] = value; }, option.second);
    }
    return {{"event", "request"},     {"request", r.request}, {"emethod", r.tuner},
            {"ranks", r.ranks},       {"merged", r.merged},   {"function_set", r.function_set},
            {"problem", r.problem},   {"features", features}, {"candidates", r.candidates},
            {"excluded", r.excluded}, {"expected", expected}, {"search", r.search},
            {"outliers", r.outliers}, {"options", options}};
  }
  Json operator()(const NameRecord& r) const {
    return {{"event", "name"}, {"request", r.request}, {"emethod", r.tuner}, {"name", r.name}};
  }
  Json operator()(const HistoryRecord& r) const {
    return {{"event", "history"}, {"emethod", r.tuner},     {"mode", r.mode},  {"kind", r.kind},
            {"winner", r.winner}, {"left_out", r.left_out}, {"words", r.words}};
  }
  Json operator()(const MeasurementRecord& r) const {
    Json json = {{"event", "measurement"}, {"request", r.request},      {"emethod", r.tuner}, {"mode", r.mode},
                 {"start", r.start},       {"codelet", r.codelet},      {"sample", r.sample}, {"seconds", r.seconds},
                 {"replaces", r.replaces}, {"production", r.production}};
    if (std::isfinite(r.left_s)) {
      json["left_s"] = r.left_s;
    }
    return json;
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
    return {{"event", "agreement"}, {"emethod", r.tuner}, {"mode", r.mode}, {"start", r.start}, {"entries", entries}};
  }
  Json operator()(const DecisionRecord& r) const {
    return {{"event", "decision"},
            {"emethod", r.tuner},
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
            {"lost_s", r.lost_s},
            {"provisional", r.provisional},
            {"confirmed", r.confirmed}};
  }
  Json operator()(const ReopeningRecord& r) const {
    return {{"event", "reopening"},       {"emethod", r.tuner}, {"mode", r.mode},    {"start", r.start},
            {"production", r.production}, {"winner", r.winner}, {"reason", r.reason}};
  }
  Json operator()(const GainRecord& r) const {
    return {{"event", "gain"},  {"emethod", r.tuner},   {"mode", r.mode}, {"start", r.start}, {"winner", r.winner},
            {"first", r.first}, {"speedup", r.speedup}, {"low", r.low},   {"high", r.high},   {"pairs", r.pairs}};
  }
  Json operator()(const EndRecord& r) const {
    return {
        {"event", "end"}, {"emethod", r.tuner}, {"mode", r.mode}, {"starts", r.starts}, {"production", r.production}};
  }
  Json operator()(const DropRecord& r) const {
    return {{"event", "drop"}, {"request", r.request}, {"emethod", r.tuner},
            {"mode", r.mode},  {"codelet", r.codelet}, {"reason", r.reason}};
  }
};

/// The trace file of one folder.
struct TraceFile {
  std::string waiting;  ///< lines that are not yet in the file
  std::ofstream file;
  std::string failure;  ///< message of the first failed write; nothing is written after it
};

struct Traces {
  std::mutex mutex;
  std::string run;
  std::map<std::string, TraceFile> files;  ///< by folder
};

Traces& traces() {
  static Traces all;
  return all;
}

void write(const std::string& folder, const std::string& run, TraceFile& trace) {
  if (trace.waiting.empty() || !trace.failure.empty()) {
    trace.waiting.clear();
    return;
  }
  const auto place = std::filesystem::path(folder) / run;
  const auto path = place / text("adcl.", mpi::world_rank(), ".jsonl");
  if (!trace.file.is_open()) {
    std::error_code error;
    std::filesystem::create_directories(place, error);
    trace.file.open(path, std::ios::app);
  }
  trace.file << trace.waiting << std::flush;
  trace.waiting.clear();
  if (!trace.file.good()) {
    trace.failure = text("ADCL_TRACE=", folder, ": ", path.string(), " cannot be written");
    trace.file.close();
  }
}

/// The name of the communicator, the same on all its ranks.
std::string name_of(const mpi::Context& context) {
  const mpi::Context::Order& order = context.order();
  std::string name;
  for (const auto part : order) {
    std::array<char, 24> digits{};
    name += name.empty() ? "" : ".";
    name.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), part).ptr);
  }
  return name;
}

/// Writes the same text as to_json() in a tenth of the time, for frequent records.
class Line {
 public:
  explicit Line(std::string& text) : text_(text) {}
  template <typename Number>
  requires std::is_arithmetic_v<Number> Line& add(const char* name, Number value) {
    key(name);
    if constexpr (std::is_floating_point_v<Number>) {
      if (!std::isfinite(value)) {
        text_ += "null";  // JSON has no infinity
        return *this;
      }
    }
    std::array<char, 32> digits{};
    text_.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
    return *this;
  }
  Line& add_word(const char* name, const std::string& word) {
    key(name);
    const bool plain =
        std::all_of(word.begin(), word.end(), [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
    text_ += plain ? '"' + word + '"' : Json(word).dump(-1, ' ', false, Json::error_handler_t::replace);
    return *this;
  }
  Line& add_verbatim(const char* name, const char* value) {
    key(name);
    text_ += value;
    return *this;
  }

 private:
  void key(const char* name) {
    const bool first = text_.empty() || text_.back() == '{' || text_.back() == '\n';
    text_ += first ? "\"" : ",\"";
    text_ += name;
    text_ += "\":";
  }

  std::string& text_;
};

Line& add_head(Line& line, const char* event, double time_s, const std::string& communicator) {
  return line.add("schema", record_schema)
      .add_word("event", event)
      .add("time_s", time_s)
      .add("rank", mpi::world_rank())
      .add_word("communicator", communicator);
}

void append_record(std::string& text, const MeasurementRecord& r, double time_s, const std::string& communicator) {
  text += '{';
  Line line(text);
  add_head(line, "measurement", time_s, communicator).add("request", r.request).add("emethod", r.tuner);
  line.add_word("mode", r.mode).add("start", r.start).add_word("codelet", r.codelet).add("sample", r.sample);
  line.add("seconds", r.seconds).add_verbatim("replaces", r.replaces ? "true" : "false");
  line.add_verbatim("production", r.production ? "true" : "false");
  if (std::isfinite(r.left_s)) {
    line.add("left_s", r.left_s);
  }
  text += '}';
}

void append_record(std::string& text, const AgreementRecord& r, double time_s, const std::string& communicator) {
  text += '{';
  Line line(text);
  add_head(line, "agreement", time_s, communicator).add("emethod", r.tuner).add_word("mode", r.mode);
  line.add("start", r.start).add_verbatim("entries", "[");
  for (const AgreementRecord::Entry& entry : r.entries) {
    text += &entry == r.entries.data() ? "{" : ",{";
    line.add_word("codelet", entry.codelet).add("mean_s", entry.mean_s).add("filtered_mean_s", entry.filtered_mean_s);
    line.add("outliers", entry.outliers).add("measurements", entry.measurements).add("spread_s", entry.spread_s);
    line.add("judged_s", entry.judged_s).add_word("removed", entry.removed);
    text += '}';
  }
  text += "]}";
}

template <typename Other>
void append_record(std::string& text, const Other& r, double time_s, const std::string& communicator) {
  text += to_json(r, communicator, time_s, mpi::world_rank());
}

constexpr std::size_t longest_wait = std::size_t{1} << 16U;  ///< bytes

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

std::string name_of_run() {
  const std::scoped_lock lock(traces().mutex);
  if (!traces().run.empty()) {
    return traces().run;
  }
  static const std::string name = [] {
    const auto seconds = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&seconds, &utc);
    std::array<char, 32> when{};
    when.at(std::strftime(when.data(), when.size(), "%Y%m%dT%H%M%SZ", &utc)) = '\0';
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    return text(when.data(), "-", host.data(), "-", getpid());
  }();
  return name;
}

void join_run(const std::string& name) {
  const std::scoped_lock lock(traces().mutex);
  if (traces().run.empty()) {
    traces().run = name;
  }
}

void note(const std::string& folder, const mpi::Context& context, const Record& record) {
  if (folder == "off") {
    return;
  }
  const bool is_measurement = std::holds_alternative<MeasurementRecord>(record);
  const std::string communicator = name_of(context);
  const std::scoped_lock lock(traces().mutex);
  TraceFile& trace = traces().files[folder];
  std::visit([&](const auto& r) { append_record(trace.waiting, r, measure::now(), communicator); }, record);
  trace.waiting += '\n';
  if (!is_measurement || trace.waiting.size() > longest_wait) {
    write(folder, traces().run, trace);
  }
}

void flush_trace() {
  const std::scoped_lock lock(traces().mutex);
  std::string failed;
  for (auto& [folder, trace] : traces().files) {
    write(folder, traces().run, trace);
    failed = trace.failure.empty() ? failed : trace.failure;
  }
  traces().files.clear();
  require(failed.empty(), Code::file, failed);
}

}  // namespace adcl::runtime
