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
#include <string_view>
#include <type_traits>

#include "core/error.hpp"
#include "measure/stopwatch.hpp"
#include "mpi/environment.hpp"

namespace adcl::runtime {
namespace {

/// Appends records to a text. Faster than the JSON library, since measurements are written while the program runs.
class JsonWriter {
 public:
  JsonWriter(std::string& text, const mpi::Context& context) : text_(text), context_(context) {}

  /// Begins a record with the members that all records have.
  JsonWriter& record(const std::string& event) {
    begin().add("schema", record_schema).add("event", event).add("time_s", measure::now());
    return add("rank", mpi::world_rank()).add("communicator", communicator());
  }
  /// Begins a record about a search.
  template <typename SearchRecord>
  JsonWriter& record(const std::string& event, const SearchRecord& r) {
    return record(event).add("emethod", r.tuner).add("mode", r.mode);
  }
  void end_record() { text_ += "}\n"; }

  template <typename Value>
  JsonWriter& add(std::string_view name, const Value& value) {
    text_ += text_.back() == '{' ? "\"" : ",\"";
    text_ += name;
    text_ += "\":";
    append(value);
    return *this;
  }

 private:
  JsonWriter& begin() {
    text_ += '{';
    return *this;
  }
  void end() { text_ += '}'; }
  /// The name of the communicator, the same on all its ranks.
  [[nodiscard]] std::string communicator() const {
    const auto& [first, second, third] = context_.order();
    return text(first, ".", second, ".", third);
  }

  template <typename Number>
  requires std::is_arithmetic_v<Number>
  void append(Number value) {
    if constexpr (std::is_same_v<Number, bool>) {
      text_ += value ? "true" : "false";
    } else if (!std::isfinite(static_cast<double>(value))) {
      text_ += "null";  // JSON has no infinity
    } else {
      std::array<char, 32> digits{};
      text_.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
    }
  }
  void append(const std::string& word) {
    const bool plain = std::ranges::all_of(word, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
    using Json = nlohmann::json;
    text_ += plain ? '"' + word + '"' : Json(word).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  void append(const Expectation& one) { begin().add("log_time", one.log_time).add("first", one.first).end(); }
  void append(const AgreementRecord::Entry& entry) {
    begin().add("codelet", entry.codelet).add("mean_s", entry.mean_s).add("filtered_mean_s", entry.filtered_mean_s);
    add("outliers", entry.outliers).add("measurements", entry.measurements).add("spread_s", entry.spread_s);
    add("judged_s", entry.judged_s).add("removed", entry.removed).end();
  }
  void append(const Features& features) {
    begin();
    for (const Feature& feature : features) {
      std::visit([&](const auto& value) { add(feature.name, value); }, feature.value);
    }
    end();
  }
  void append(const OptionValues& options) {
    begin();
    for (const auto& [name, value] : options.all()) {
      std::visit([&, &option = name](const auto& known) { add(option, known); }, value);
    }
    end();
  }
  template <typename Element>
  void append(const std::vector<Element>& elements) {
    text_ += '[';
    for (const Element& element : elements) {
      text_ += &element == elements.data() ? "" : ",";
      append(element);
    }
    text_ += ']';
  }

  std::string& text_;
  const mpi::Context& context_;
};

void write(JsonWriter& json, const RequestRecord& r) {
  json.record("request").add("request", r.request).add("emethod", r.tuner).add("ranks", r.ranks);
  json.add("merged", r.merged).add("function_set", r.function_set).add("problem", r.problem);
  json.add("features", r.features).add("candidates", r.candidates).add("excluded", r.excluded);
  json.add("expected", r.expected).add("search", r.search).add("outliers", r.outliers).add("options", r.options);
}

void write(JsonWriter& json, const NameRecord& r) {
  json.record("name").add("request", r.request).add("emethod", r.tuner).add("name", r.name);
}

void write(JsonWriter& json, const HistoryRecord& r) {
  json.record("history", r).add("kind", r.kind).add("winner", r.winner);
  json.add("left_out", r.left_out).add("words", r.words);
}

void write(JsonWriter& json, const MeasurementRecord& r) {
  json.record("measurement").add("request", r.request).add("emethod", r.tuner).add("mode", r.mode);
  json.add("start", r.start).add("codelet", r.codelet).add("sample", r.sample).add("seconds", r.seconds);
  json.add("replaces", r.replaces).add("production", r.production);
  if (std::isfinite(r.left_s)) {
    json.add("left_s", r.left_s);
  }
}

void write(JsonWriter& json, const AgreementRecord& r) {
  json.record("agreement", r).add("start", r.start).add("entries", r.entries);
}

void write(JsonWriter& json, const DecisionRecord& r) {
  json.record("decision", r).add("start", r.start).add("winner", r.winner);
  json.add("reason", r.reason).add("ties", r.ties).add("winner_s", r.winner_s);
  json.add("first", r.first).add("first_s", r.first_s).add("searching_starts", r.cost.starts);
  json.add("searching_s", r.cost.operations_s).add("preparation_s", r.cost.preparation_s).add("lost_s", r.lost_s);
  json.add("provisional", r.provisional).add("confirmed", r.confirmed);
}

void write(JsonWriter& json, const ReopeningRecord& r) {
  json.record("reopening", r).add("start", r.start);
  json.add("production", r.production).add("winner", r.winner).add("reason", r.reason);
}

void write(JsonWriter& json, const GainRecord& r) {
  json.record("gain", r).add("start", r.start).add("winner", r.winner);
  json.add("first", r.first).add("speedup", r.speedup).add("low", r.low).add("high", r.high).add("pairs", r.pairs);
}

void write(JsonWriter& json, const EndRecord& r) {
  json.record("end", r).add("starts", r.starts).add("production", r.production);
}

void write(JsonWriter& json, const DropRecord& r) {
  json.record("drop").add("request", r.request).add("emethod", r.tuner).add("mode", r.mode);
  json.add("codelet", r.codelet).add("reason", r.reason);
}

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

void flush(const std::string& folder, const std::string& run, TraceFile& trace) {
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

/// Measurements are written when the waiting records exceed this size.
constexpr std::size_t most_waiting_bytes = std::size_t{1} << 16U;

}  // namespace

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

void write_trace(const std::string& folder, const mpi::Context& context, const Record& record) {
  if (folder == "off") {
    return;
  }
  const bool is_measurement = std::holds_alternative<MeasurementRecord>(record);
  const std::scoped_lock lock(traces().mutex);
  TraceFile& trace = traces().files[folder];
  JsonWriter json(trace.waiting, context);
  std::visit([&](const auto& r) { write(json, r); }, record);
  json.end_record();
  if (!is_measurement || trace.waiting.size() > most_waiting_bytes) {
    flush(folder, traces().run, trace);
  }
}

void flush_trace() {
  const std::scoped_lock lock(traces().mutex);
  std::string failed;
  for (auto& [folder, trace] : traces().files) {
    flush(folder, traces().run, trace);
    failed = trace.failure.empty() ? failed : trace.failure;
  }
  traces().files.clear();
  require(failed.empty(), Code::file, failed);
}

}  // namespace adcl::runtime
