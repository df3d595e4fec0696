#include "options/options.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "core/error.hpp"
#include "core/nearest.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX requires the program to declare it

namespace adcl::runtime {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

bool contains(std::span<const std::string> words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

/// Variables that installations, module systems, or the library's own tools define.
bool is_foreign(const std::string& name) {
  static constexpr const char* endings[] = {"_ROOT", "_DIR", "_HOME", "_PATH", "_PREFIX", "_VERSION", "_DESCRIBE"};
  return name == "ADCL_CONFIG" || name == "ADCL_PROFILE" || name.starts_with("ADCL_INTERPOSE") ||
         name.starts_with("ADCL_TEST_") ||
         std::ranges::any_of(endings, [&](const char* ending) { return name.ends_with(ending); });
}

/// Makes a path absolute, so that it does not depend on later changes of the working directory.
std::string make_absolute(const std::string& path) {
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

/// Reads the file. Rejects devices and FIFOs, which may be endless, and files longer than 1 MiB.
std::string content_of(const std::string& config) {
  constexpr std::streamsize limit = std::streamsize{1} << 20U;
  std::error_code error;
  const auto status = std::filesystem::status(config, error);
  require(std::filesystem::exists(status), Code::file, "ADCL_CONFIG=", config, ": no such file");
  require(std::filesystem::is_regular_file(status), Code::file, "ADCL_CONFIG=", config,
          ": this is a folder, a device or a pipe; pass the name of a text file with lines NAME = value");
  std::ifstream file(config, std::ios::binary);
  require(file.is_open(), Code::file, "ADCL_CONFIG=", config, ": the file cannot be opened for reading");
  std::string content(static_cast<std::size_t>(limit) + 1, '\0');
  file.read(content.data(), limit + 1);
  require(!file.bad(), Code::file, "ADCL_CONFIG=", config, ": the file cannot be read");
  require(file.gcount() <= limit, Code::file, "ADCL_CONFIG=", config, ": the file is longer than ", limit,
          " bytes; pass the name of a text file with lines NAME = value");
  content.resize(static_cast<std::size_t>(file.gcount()));
  return content.starts_with(byte_order_mark) ? content.substr(byte_order_mark.size()) : content;
}

/// Accepts file names only with a slash or dot, to detect misspelled words.
void check_destination(const Option& option, const std::string& value) {
  require(contains(option.choices, value) || value.find_first_of("/.") != std::string::npos, Code::option, option.name,
          "=", value, ": did you mean ", nearest(value, option.choices),
          "? Use off, stderr, or a file name with a slash or a dot, such as ./", value.empty() ? "report" : value);
}

/// In the order of Timing.
constexpr std::array<std::string_view, 4> timing_words = {"arrival", "nobarrier", "barrier", "interval"};

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

/// Adds \p option, or its users if the table has an equal option. Throws Error(internal) if they differ.
void append(std::vector<Option>& table, Option option) {
  const auto row = std::ranges::find(table, option.name, &Option::name);
  if (row == table.end()) {
    table.push_back(std::move(option));
    return;
  }
  require(row->equals_except_users(option), Code::internal, "two rows of the option table describe ", option.name,
          " differently");
  row->users.insert(row->users.end(), option.users.begin(), option.users.end());
}

/// Appends the options of selection logics or statistical methods.
template <typename Users>
void append_options_of(const Users& users, std::vector<Option>& table) {
  for (const auto& user : users) {
    for (Option option : user.options) {
      option.users = {user.name};
      append(table, std::move(option));
    }
  }
}

/// Options of the report and the trace.
std::vector<Option> output_options() {
  return {
      Option::path("ADCL_REPORT", {"off", "stderr"}, "off",
                   "append a table of measurements and decisions to stderr or to a file at ADCL_Finalize; the "
                   "name of a file must contain a slash or a dot; off: no report",
                   check_destination)
          .with_role(OptionRole::output),
      Option::path("ADCL_TRACE", {"off"}, "off",
                   "write one file of JSON Lines records per process to this folder; off: no trace")
          .with_role(OptionRole::output),
      Option::toggle("ADCL_TRACE_PRODUCTION", "0",
                     "also trace every start after the decision, and time all of them; with a preselected "
                     "codelet, this is a verification run")
          .with_role(OptionRole::output),
  };
}

/// Options other than ADCL_SEARCH, ADCL_TIMING, ADCL_OUTLIERS, and the options of logics, methods and output.
std::vector<Option> other_options() {
  return {
      Option::choice("ADCL_METHOD", {"adcl", "thesis"}, "adcl",
                     "thesis: decide as the thesis describes (chapters 3 and 5): measure every codelet, use the "
                     "time of each rank separately, store nothing, and do not monitor the winner; other options "
                     "that you set take precedence"),
      Option::text("ADCL_CODELETS", "",
                   "candidates of function sets: set:name,name keeps only these codelets, set:^name excludes a "
                   "codelet; separate sets with ';'; if one codelet is left, it runs without a search",
                   [](const Option& /*option*/, const std::string& value) { CodeletFilter{value}; }),
      Option::toggle("ADCL_MERGE_REQUESTS", "1", "share one search between requests with the same problem"),
      Option::integer("ADCL_TIMER_INTERVAL", 1, 1000000, "1",
                      "number of iterations of a timer between two synchronizations of the ranks; these "
                      "iterations are one measurement")
          .with_role(OptionRole::timer),
      Option::integer("ADCL_TIMER_COMBINATIONS", 1, 1000000, "64",
                      "maximum number of combinations of codelets for which a timer compares all combinations; if "
                      "there are more, the timer varies one request after the other")
          .with_role(OptionRole::timer),
      Option::text("ADCL_MONITOR", "auto",
                   "number of starts in production between two checks of the winner's time; if the time has "
                   "changed, the search is reopened; auto: about four checks a second; 0: no checks, and no "
                   "comparison of the winner with the first codelet",
                   check_monitor)
          .with_thesis_value("0"),
      Option::path("ADCL_HISTORY", {"off", "memory"}, "memory",
                   "where to store results: memory, for later requests of the communicator; a folder, also for "
                   "other runs; off: nowhere. For a known problem, a few starts verify the stored winner and "
                   "replace the search; results of similar problems exclude slow candidates")
          .with_thesis_value("off"),
      Option::toggle(
          "ADCL_OVERLAP_BLOCKING", "0",
          "also use blocking codelets for ADCL_Request_init and ADCL_Request_wait; they run entirely in the wait"),
      Option::toggle(
          "ADCL_DEVICE", "0",
          "use only codelets in which only MPI accesses the buffers, for memory that the processor cannot access"),
      Option::toggle("ADCL_REPRODUCIBLE", "0",
                     "use only reductions whose result is bitwise identical to the result of MPI's own call"),
      Option::real("ADCL_MEMORY_LIMIT", 0, 1e18, "0",
                   "maximum memory of a codelet's plan per request, in bytes; 0: no limit"),
      Option::choice("ADCL_VECTOR_MEMORY", {"shared", "private"}, "shared",
                     "kind of memory that ADCL_Vector_allocate allocates; shared: processes of the same node can "
                     "access the memory; private: ordinary memory, as from malloc")
          .with_role(OptionRole::process),
      Option::choice("ADCL_ERRORS", {"return", "report", "abort"}, "return",
                     "action after a failed call; return: only return a code; report: also write each message "
                     "once to the report's file or stderr; abort: write the message and end the job")
          .with_role(OptionRole::process),
  };
}

}  // namespace

std::vector<Option> compose_options(std::span<const select::Logic> logics,
                                    std::span<const measure::Estimator> methods) {
  std::vector<Option> table = {
      Option::choice("ADCL_SEARCH", names_of(logics), "model", "selection logic: selects the codelet to measure next")
          .with_thesis_value("brute_force")};
  append_options_of(logics, table);
  append(table, Option::choice("ADCL_TIMING", {timing_words.begin(), timing_words.end()}, "arrival",
                               "time that a search measures; arrival: an operation, from the last rank's arrival to "
                               "the last rank's departure, if all ranks are on one node; nobarrier: an operation, on "
                               "each rank separately; barrier: an operation between two barriers; interval: from one "
                               "start of a request to the next start, if starts are regular")
                    .with_thesis_value("nobarrier"));
  append(table,
         Option::choice("ADCL_OUTLIERS", names_of(methods), "heuristic", "statistical method that handles outliers"));
  append_options_of(methods, table);
  for (const auto& options : {other_options(), output_options()}) {
    for (const Option& option : options) {
      append(table, option);
    }
  }
  return table;
}

std::span<const Option> option_table() {
  static const std::vector<Option> table = compose_options(select::table(), measure::table());
  return table;
}

const Option& find_option(const std::string& name) {
  const auto table = option_table();
  const auto row = std::ranges::find(table, name, &Option::name);
  if (row == table.end()) {
    throw Error(Code::option,
                text(name, " is not an option; the most similar option is ", nearest(name, names_of(table))));
  }
  return *row;
}

Timing timing_of(const std::string& word) {
  const auto found = std::ranges::find(timing_words, word);
  require(found != timing_words.end(), Code::internal, "'", word, "' is not a value of ADCL_TIMING");
  return static_cast<Timing>(found - timing_words.begin());
}

const char* origin_name(Origin origin) {
  static constexpr std::array names = {"default", "method", "program", "file", "environment"};
  return names.at(static_cast<std::size_t>(origin));
}

OptionStore OptionStore::from_environment() {
  OptionStore store;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string entry = *variable;
    const auto equals = entry.find('=');
    const std::string name = entry.substr(0, equals);
    if (name.starts_with("ADCL_") && equals != std::string::npos && !is_foreign(name)) {
      store.set(Origin::environment, name, entry.substr(equals + 1));
    }
  }
  const char* const config = std::getenv("ADCL_CONFIG");
  if (config != nullptr && *config != '\0') {
    store.read_lines(content_of(config), config);
  }
  return store;
}

void OptionStore::set(Origin origin, const std::string& name, const std::string& value) {
  const Option& option = find_option(name);
  std::string checked = checked_value(option, trimmed(value));
  if (option.type == OptionType::path && !contains(option.choices, checked) && !checked.empty()) {
    checked = make_absolute(checked);
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

OptionStore::Entry OptionStore::entry(const std::string& name) const {
  const Option& option = find_option(name);
  if (const auto known = entries_.find(name); known != entries_.end()) {
    return known->second;
  }
  if (!option.thesis_value.empty() && value("ADCL_METHOD") == "thesis") {
    return {option.thesis_value, Origin::method};
  }
  return {option.default_value, Origin::default_value};
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
    require(!rule.names.empty() && !contains(rule.names, ""), Code::option, "ADCL_CODELETS=", specification,
            ": a codelet name is missing in '", part, "'");
    rules_[trimmed(part.substr(0, colon))] = std::move(rule);
  }
}

void CodeletFilter::check(const FunctionSet& set, std::span<const std::string> predefined) const {
  for (const auto& [name, unused] : rules_) {
    const bool is_set = predefined.empty() || contains(predefined, name);
    require(is_set || !is_misspelled(name, set.name), Code::option, "ADCL_CODELETS: there is no function set '", name,
            "'; did you mean ", set.name, "?");
  }
  const auto rule = rules_.find(set.name);
  if (rule == rules_.end()) {
    return;
  }
  const auto known = names_of(set.codelets);
  const auto wrong = std::ranges::find_if(rule->second.names, [&](const auto& name) { return !contains(known, name); });
  if (wrong != rule->second.names.end()) {
    const std::string other = nearest(*wrong, known);
    throw Error(Code::option, text("ADCL_CODELETS: function set ", set.name, " has no codelet '", *wrong, "'; ",
                                   is_misspelled(*wrong, other) ? "did you mean " + other + "?"
                                                                : "`adcl info " + set.name + "` lists the codelets"));
  }
}

bool CodeletFilter::admits(const std::string& set, const std::string& codelet) const {
  const auto rule = rules_.find(set);
  return rule == rules_.end() || contains(rule->second.names, codelet) != rule->second.excludes;
}

}  // namespace adcl::runtime
