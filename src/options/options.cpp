#include "options/options.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.hpp"
#include "core/nearest.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX requires the program to declare it

namespace adcl::runtime {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

template <typename Row>
std::vector<std::string> names_of(std::span<const Row> rows) {
  std::vector<std::string> names;
  for (const Row& row : rows) {
    names.push_back(row.name);
  }
  return names;
}

/// Variables that installations and module systems define, and those of the library's own tools.
bool is_foreign(const std::string& name) {
  static constexpr const char* endings[] = {"_ROOT", "_DIR", "_HOME", "_PATH", "_PREFIX", "_VERSION", "_DESCRIBE"};
  return name == "ADCL_CONFIG" || name == "ADCL_PROFILE" || name.starts_with("ADCL_TEST_") ||
         std::any_of(std::begin(endings), std::end(endings),
                     [&](const char* ending) { return name.ends_with(ending); });
}

std::string trimmed(const std::string& word) {
  constexpr const char* blanks = " \t\r\n";
  const auto first = word.find_first_not_of(blanks);
  if (first == std::string::npos) {
    return "";
  }
  return word.substr(first, word.find_last_not_of(blanks) - first + 1);
}

/// Makes the name of a file or folder absolute, so that it does not depend on the working directory later.
std::string absolute(const std::string& path) {
  std::error_code error;
  const auto place = std::filesystem::absolute(path, error);
  return error ? path : place.lexically_normal().string();
}

std::vector<std::string> split(const std::string& list, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(list);
  std::string part;
  while (std::getline(stream, part, separator)) {
    parts.push_back(trimmed(part));
  }
  return parts;
}

/// Rejects devices and FIFOs, which may have no end, and files longer than options need.
std::string content_of(const std::string& config) {
  constexpr std::streamsize limit = std::streamsize{1} << 20U;
  std::error_code error;
  const auto status = std::filesystem::status(config, error);
  require(std::filesystem::exists(status), Code::file, "ADCL_CONFIG=", config, ": there is no such file");
  require(std::filesystem::is_regular_file(status), Code::file, "ADCL_CONFIG=", config,
          ": it is not a file but a folder, a device or a pipe; name a file with lines NAME = value");
  std::ifstream file(config, std::ios::binary);
  require(file.is_open(), Code::file, "ADCL_CONFIG=", config, ": the file cannot be opened for reading");
  std::string content(static_cast<std::size_t>(limit) + 1, '\0');
  file.read(content.data(), limit + 1);
  require(!file.bad(), Code::file, "ADCL_CONFIG=", config, ": the file cannot be read");
  require(file.gcount() <= limit, Code::file, "ADCL_CONFIG=", config, ": the file is longer than ", limit,
          " bytes; name a file with lines NAME = value");
  content.resize(static_cast<std::size_t>(file.gcount()));
  return content.starts_with(byte_order_mark) ? content.substr(byte_order_mark.size()) : content;
}

/// A slash or dot distinguishes a file name from a misspelled word.
void check_destination(const Option& option, const std::string& value) {
  const auto& words = option.choices;
  if (std::find(words.begin(), words.end(), value) == words.end() && value.find_first_of("/.") == std::string::npos) {
    throw Error(Code::option, text(option.name, "=", value, ": did you mean ", nearest(value, words),
                                   "? Accepted are off, stderr and a file whose name has a slash or a dot, such as ./",
                                   value.empty() ? "report" : value));
  }
}

const std::vector<std::pair<std::string, Timing>>& timings() {
  static const std::vector<std::pair<std::string, Timing>> words = {{"arrival", Timing::arrival},
                                                                    {"nobarrier", Timing::nobarrier},
                                                                    {"barrier", Timing::barrier},
                                                                    {"interval", Timing::interval}};
  return words;
}

std::vector<std::string> words_of_timing() {
  std::vector<std::string> words;
  for (const auto& [word, timing] : timings()) {
    words.push_back(word);
  }
  return words;
}

/// Accepts a number of starts, or auto.
void check_monitor(const Option& option, const std::string& value) {
  if (value == "auto") {
    return;
  }
  try {
    OptionValues().set(Option::integer(option.name, 0, 1000000000, "0", ""), value);
  } catch (const Error& error) {
    throw Error(error.code(), std::string(error.what()) + ", or auto");
  }
}

/// If the table has an option of the same name, both must be equal.
void append(std::vector<Option>& table, Option option) {
  const auto row =
      std::find_if(table.begin(), table.end(), [&](const Option& other) { return other.name == option.name; });
  if (row == table.end()) {
    table.push_back(std::move(option));
    return;
  }
  require(row->describes_as(option), Code::internal, "two rows describe ", option.name, " differently");
  row->users.insert(row->users.end(), option.users.begin(), option.users.end());
}

template <typename Row>
void append_options_of(std::span<const Row> rows, std::vector<Option>& table) {
  for (const Row& row : rows) {
    for (Option option : row.options) {
      option.users = {row.name};
      append(table, std::move(option));
    }
  }
}

/// Options other than ADCL_SEARCH, ADCL_TIMING, ADCL_OUTLIERS, and the options of logics and methods.
std::vector<Option> other_options() {
  return {
      Option::choice("ADCL_METHOD", {"adcl", "thesis"}, "adcl",
                     "thesis: decide as the thesis describes (chapters 3 and 5): measure every codelet, each "
                     "rank its own times, store nothing, and do not monitor the winner; options that are set "
                     "take precedence"),
      Option::text("ADCL_CODELETS", "",
                   "candidates: set:name,name keeps, set:^name excludes; separate sets by ';'; a single kept "
                   "name is preselection",
                   [](const Option& /*option*/, const std::string& value) { CodeletFilter{value}; }),
      Option::toggle("ADCL_MERGE_REQUESTS", "1", "share one search between requests with the same problem"),
      Option::integer("ADCL_TIMER_INTERVAL", 1, 1000000, "1",
                      "starts of a timer between two synchronizations of the ranks; together they are one "
                      "measurement, n_s")
          .with(OptionRole::timer),
      Option::integer("ADCL_TIMER_COMBINATIONS", 1, 1000000, "64",
                      "compare all combinations of the codelets of a timer's requests, up to this many; beyond "
                      "that, vary one request after the other")
          .with(OptionRole::timer),
      Option::text("ADCL_MONITOR", "auto",
                   "starts in production between two checks whether the winner keeps its time; if it does "
                   "not, the search is reopened; auto: about four checks a second; 0: no checks, and no "
                   "comparison of the winner with the first codelet",
                   check_monitor)
          .in_thesis("0"),
      Option::path("ADCL_HISTORY", {"off", "memory"}, "memory",
                   "where results are stored: memory, for later requests of the communicator; a folder, also "
                   "for other runs; off. For a known problem, a few starts verify the winner instead of a "
                   "search; results of similar problems exclude hopeless candidates")
          .in_thesis("off"),
      Option::toggle("ADCL_OVERLAP_BLOCKING", "0",
                     "also use blocking codelets for init and wait; they run entirely inside wait"),
      Option::toggle("ADCL_DEVICE", "0",
                     "use only codelets that leave the buffers to MPI, for memory that the processor cannot read"),
      Option::toggle("ADCL_REPRODUCIBLE", "0",
                     "use only codelets with the bits of MPI's own call, if the order of combining changes them"),
      Option::real("ADCL_MEMORY_LIMIT", 0, 1e18, "0",
                   "most bytes that the plan of a codelet may use per request; 0: no limit"),
      Option::choice("ADCL_VECTOR_MEMORY", {"shared", "private"}, "shared",
                     "memory of ADCL_Vector_allocate; shared: processes of the same node can read it; private: as "
                     "from malloc")
          .with(OptionRole::process),
      Option::choice("ADCL_ERRORS", {"return", "report", "abort"}, "return",
                     "failed calls; return: only return a code; report: also write each message once to the "
                     "report's file or stderr; abort: write it and end the job")
          .with(OptionRole::process),
      Option::path("ADCL_REPORT", {"off", "stderr"}, "off",
                   "append a table of measurements and decisions at ADCL_Finalize, to stderr or to a file, "
                   "whose name must contain a slash or a dot; off: no report",
                   check_destination)
          .with(OptionRole::output),
      Option::path("ADCL_TRACE", {"off"}, "off",
                   "write one file of JSON Lines records per process to this folder; off: no trace")
          .with(OptionRole::output),
      Option::toggle("ADCL_TRACE_PRODUCTION", "0",
                     "also trace every start after the decision, and time all of them; with a preselected "
                     "codelet, this is a verification run")
          .with(OptionRole::output),
  };
}

}  // namespace

std::vector<Option> compose_options(std::span<const select::Logic> logics,
                                    std::span<const measure::Estimator> methods) {
  std::vector<Option> table = {
      Option::choice("ADCL_SEARCH", names_of(logics), "model", "selection logic: what is measured next")
          .in_thesis("brute_force")};
  append_options_of(logics, table);
  append(table, Option::choice("ADCL_TIMING", words_of_timing(), "arrival",
                               "what a search times; arrival: an operation from the last rank's arrival to the last "
                               "rank's departure, if all ranks are on one node; nobarrier: an operation on each rank "
                               "separately; barrier: an operation between two barriers; interval: from one start of a "
                               "request to its next, if starts are regular")
                    .in_thesis("nobarrier"));
  append(table, Option::choice("ADCL_OUTLIERS", names_of(methods), "heuristic", "statistical method for outliers"));
  append_options_of(methods, table);
  for (Option& option : other_options()) {
    append(table, std::move(option));
  }
  return table;
}

std::span<const Option> option_table() {
  static const std::vector<Option> table = compose_options(select::table(), measure::table());
  return table;
}

const Option& find_option(const std::string& name) {
  const auto table = option_table();
  const auto row = std::find_if(table.begin(), table.end(), [&](const Option& option) { return option.name == name; });
  if (row == table.end()) {
    throw Error(Code::option, text(name, " is not an option; the nearest is ", nearest(name, names_of(table))));
  }
  return *row;
}

Timing timing_of(const std::string& word) {
  const auto& known = timings();
  const auto row = std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.first == word; });
  require(row != known.end(), Code::internal, "'", word, "' is not a value of ADCL_TIMING");
  return row->second;
}

const char* origin_name(Origin origin) {
  switch (origin) {
    case Origin::default_value:
      return "default";
    case Origin::method:
      return "method";
    case Origin::program:
      return "program";
    case Origin::file:
      return "file";
    case Origin::environment:
      return "environment";
  }
  return "";
}

OptionStore OptionStore::from_environment() {
  OptionStore store;
  std::string config;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string entry = *variable;
    const auto equals = entry.find('=');
    const std::string name = entry.substr(0, equals);
    if (!name.starts_with("ADCL_") || equals == std::string::npos) {
      continue;
    }
    if (name == "ADCL_CONFIG") {
      config = entry.substr(equals + 1);
    } else if (!is_foreign(name)) {
      store.set(Origin::environment, name, entry.substr(equals + 1));
    }
  }
  if (!config.empty()) {
    store.read_lines(content_of(config), config);
  }
  return store;
}

void OptionStore::set(Origin origin, const std::string& name, const std::string& value) {
  const Option& option = find_option(name);
  std::string checked = checked_value(option, trimmed(value));
  const bool is_word = std::find(option.choices.begin(), option.choices.end(), checked) != option.choices.end();
  if (option.type == OptionType::path && !is_word && !checked.empty()) {
    checked = absolute(checked);
  }
  Entry& entry = entries_[name];
  if (origin >= entry.origin) {
    entry = {std::move(checked), origin};
  }
}

void OptionStore::read_lines(const std::string& lines, const std::string& source) {
  std::istringstream stream(lines);
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) {
      continue;
    }
    const auto equals = line.find('=');
    require(equals != std::string::npos, Code::option, source, ":", number, ": expected NAME = value, found '", line,
            "'");
    try {
      set(Origin::file, trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)));
    } catch (const Error& error) {
      throw Error(error.code(), text(source, ":", number, ": ", error.what()));
    }
  }
}

const std::string& OptionStore::value(const std::string& name) const {
  const Option& option = find_option(name);
  const auto entry = entries_.find(name);
  if (entry != entries_.end()) {
    return entry->second.value;
  }
  return takes_value_of_thesis(option) ? option.thesis_value : option.default_value;
}

bool OptionStore::takes_value_of_thesis(const Option& option) const {
  return !option.thesis_value.empty() && value("ADCL_METHOD") == "thesis";
}

Origin OptionStore::origin(const std::string& name) const {
  const auto entry = entries_.find(name);
  if (entry != entries_.end()) {
    return entry->second.origin;
  }
  return takes_value_of_thesis(find_option(name)) ? Origin::method : Origin::default_value;
}

OptionValues OptionStore::values() const {
  OptionValues values;
  for (const Option& option : option_table()) {
    values.set(option, value(option.name));
  }
  return values;
}

CodeletFilter::CodeletFilter(const std::string& specification) {
  for (const std::string& part : split(specification, ';')) {
    if (part.empty()) {
      continue;
    }
    const auto colon = part.find(':');
    require(colon != std::string::npos && colon > 0, Code::option, "ADCL_CODELETS=", specification,
            ": expected set:name,name or set:^name, found '", part, "'");
    Rule rule;
    std::string names = part.substr(colon + 1);
    if (names.starts_with("^")) {
      rule.excludes = true;
      names.erase(0, 1);
    }
    rule.names = split(names, ',');
    require(!rule.names.empty() && std::find(rule.names.begin(), rule.names.end(), "") == rule.names.end(),
            Code::option, "ADCL_CODELETS=", specification, ": a codelet name is missing in '", part, "'");
    rules_[trimmed(part.substr(0, colon))] = std::move(rule);
  }
}

void CodeletFilter::check(const std::string& set, std::span<const std::string> predefined,
                          std::span<const std::string> known) const {
  for (const auto& [name, unused] : rules_) {
    const bool is_set = predefined.empty() || std::find(predefined.begin(), predefined.end(), name) != predefined.end();
    require(is_set || !is_misspelt(name, set), Code::option, "ADCL_CODELETS: there is no function set '", name,
            "'; did you mean ", set, "?");
  }
  const auto rule = rules_.find(set);
  if (rule == rules_.end()) {
    return;
  }
  for (const std::string& name : rule->second.names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string other = nearest(name, known);
      throw Error(Code::option, text("ADCL_CODELETS: function set ", set, " has no codelet '", name, "'; ",
                                     is_misspelt(name, other) ? "did you mean " + other + "?"
                                                              : "`adcl info " + set + "` lists those that it has"));
    }
  }
}

bool CodeletFilter::admits(const std::string& set, const std::string& codelet) const {
  const auto rule = rules_.find(set);
  if (rule == rules_.end()) {
    return true;
  }
  const auto& names = rule->second.names;
  return (std::find(names.begin(), names.end(), codelet) != names.end()) != rule->second.excludes;
}

}  // namespace adcl::runtime
