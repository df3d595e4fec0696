#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <string_view>

#include "core/nearest.hpp"

namespace adcl::bench {
namespace {

constexpr std::size_t largest_message = std::size_t{1} << 30;

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

int count(const std::string& option, const std::string& text, int least) {
  constexpr int most = 1000000;
  const auto value = number<int>(text);
  if (!value || *value < least || *value > most) {
    throw UsageError(option + " takes a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
                     ", not '" + text + "'");
  }
  return *value;
}

std::vector<std::string> words(const std::string& option, const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (std::any_of(parts.begin(), parts.end(), [](const std::string& part) { return part.empty(); })) {
    throw UsageError(option + " takes comma-separated values, not '" + text + "'");
  }
  return parts;
}

std::vector<std::size_t> sizes(const std::string& option, const std::string& text) {
  std::vector<std::size_t> bytes;
  for (const std::string& word : words(option, text)) {
    const auto value = number<std::size_t>(word);
    if (!value || *value < 1 || *value > largest_message) {
      throw UsageError(option + " takes message sizes from 1 to " + std::to_string(largest_message) + " bytes, not '" +
                       word + "'");
    }
    bytes.push_back(*value);
  }
  return bytes;
}

/// The groups for --functions. Every function belongs to one of them, and to "all".
constexpr std::string_view groups[] = {"time", "nonblocking", "memory"};

std::string_view group_of(const Function& function) {
  if (function.measured != Measured::time) {
    return "memory";
  }
  return function.nonblocking ? "nonblocking" : "time";
}

std::vector<std::string> names_of(const Functions& table, std::string_view group) {
  std::vector<std::string> names;
  for (const Function& function : table) {
    if (group == "all" || group == group_of(function)) {
      names.push_back(function.name);
    }
  }
  return names;
}

std::vector<std::string> selection(const std::string& option, const std::string& text, const Functions& table) {
  std::vector<std::string> all = names_of(table, "all");
  std::vector<std::string> chosen;
  for (const std::string& word : words(option, text)) {
    if (word == "all" || std::ranges::find(groups, word) != std::end(groups)) {
      const auto group = names_of(table, word);
      chosen.insert(chosen.end(), group.begin(), group.end());
    } else if (std::find(all.begin(), all.end(), word) != all.end()) {
      chosen.push_back(word);
    } else {
      const auto near = nearest(word, all);
      throw UsageError(option + ": there is no function '" + word + "'" +
                       (near.empty() ? "" : "; did you mean " + near + "?") + " (--list prints all functions)");
    }
  }
  return chosen;
}

std::pair<std::string, std::string> label(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw UsageError(option + " takes NAME=VALUE, not '" + text + "'");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

Start start_of(const std::string& option, const std::string& text) {
  if (text == "window") {
    return Start::window;
  }
  if (text == "barrier") {
    return Start::barrier;
  }
  throw UsageError(option + " takes window or barrier, not '" + text + "'");
}

std::string output_of(const std::string& option, const std::string& text) {
  if (text.empty()) {
    throw UsageError(option + " takes the name of a file");
  }
  return text;
}

/// Stores an option's value in the options.
using Setter = std::function<void(const std::string& option, const std::string& value)>;

std::map<std::string, Setter> setters(Options& options, const Functions& table) {
  return {
      {"--functions", [&](auto& name, auto& value) { options.functions = selection(name, value, table); }},
      {"--codelets", [&](auto& name, auto& value) { options.codelets = words(name, value); }},
      {"--bytes", [&](auto& name, auto& value) { options.bytes = sizes(name, value); }},
      {"--repetitions", [&](auto& name, auto& value) { options.repetitions = count(name, value, 1); }},
      {"--warmup", [&](auto& name, auto& value) { options.warmup = count(name, value, 0); }},
      {"--block", [&](auto& name, auto& value) { options.block = count(name, value, 1); }},
      {"--components", [&](auto& name, auto& value) { options.components = count(name, value, 1); }},
      {"--start", [&](auto& name, auto& value) { options.start = start_of(name, value); }},
      {"--output", [&](auto& name, auto& value) { options.output = output_of(name, value); }},
      {"--label", [&](auto& name, auto& value) { options.labels.push_back(label(name, value)); }},
  };
}

std::map<std::string, bool*> switches(Options& options) {
  return {{"--oversubscribed", &options.oversubscribed},
          {"--help", &options.help},
          {"-h", &options.help},
          {"--list", &options.list}};
}

void check_sizes(const Options& options, const Functions& table) {
  for (const Function& function : table) {
    const bool chosen =
        std::find(options.functions.begin(), options.functions.end(), function.name) != options.functions.end();
    for (const std::size_t bytes : options.bytes) {
      if (chosen && function.unit_bytes > 1 && bytes % function.unit_bytes != 0) {
        throw UsageError("--bytes " + std::to_string(bytes) + ": " + function.name + " takes a multiple of " +
                         std::to_string(function.unit_bytes) + " bytes");
      }
    }
  }
}

}  // namespace

Options parse_options(std::span<const std::string> arguments, const Functions& table) {
  Options options;
  const auto with_value = setters(options, table);
  const auto without = switches(options);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::size_t equals = arguments[i].find('=');
    const std::string name = arguments[i].substr(0, equals);
    const bool attached = equals != std::string::npos;
    if (const auto found = without.find(name); found != without.end()) {
      if (attached) {
        throw UsageError(name + " takes no value");
      }
      *found->second = true;
    } else if (const auto setter = with_value.find(name); setter != with_value.end()) {
      if (!attached && i + 1 == arguments.size()) {
        throw UsageError(name + " needs a value");
      }
      setter->second(name, attached ? arguments[i].substr(equals + 1) : arguments[i + 1]);
      i += attached ? 0 : 1;
    } else {
      throw UsageError("there is no option '" + name + "'; --help lists the options");
    }
  }
  if (options.functions.empty() && options.codelets.empty()) {
    options.functions = names_of(table, "time");
  }
  check_sizes(options, table);
  return options;
}

std::string help_text(const std::string& program) {
  return "usage: mpirun -n RANKS " + program +
         " [options]\n"
         "\n"
         "Measure MPI functions, or ADCL's codelets, on all ranks of the job. Write one line of JSON for each "
         "function\n"
         "and message size. The time of a repetition is the time of the slowest rank.\n"
         "\n"
         "  --functions LIST     functions to measure: names or the groups time, nonblocking, memory and all, "
         "separated\n"
         "                       by commas (default: time)\n"
         "  --codelets LIST      codelets to measure: SET for all codelets of a function set (neighborhood, "
         "allreduce, ...),\n"
         "                       SET:NAME for one codelet\n"
         "  --bytes LIST         message sizes in bytes (default: 256)\n"
         "  --block N            codelets: grid points of a rank's block in each of the three dimensions (default: "
         "16)\n"
         "  --components N       codelets of neighborhood: entries per grid point (default: 1)\n"
         "  --repetitions N      number of measured calls (default: 400)\n"
         "  --warmup N           number of calls before the first repetition (default: 10)\n"
         "  --start window       start all ranks at the same time, with clocks that are synchronized for every "
         "function;\n"
         "                       discard and count repetitions for which a rank was late (default)\n"
         "  --start barrier      start all ranks after a barrier\n"
         "  --oversubscribed     measure times with more ranks than cores, and mark the records\n"
         "  --output FILE        output file for records (default: stdout)\n"
         "  --label NAME=VALUE   add NAME=VALUE to the context of every record; repeatable\n"
         "  --list               print the functions and their groups, or the codelets of --codelets, and their "
         "expected growth\n"
         "  --help               print this text\n"
         "\n"
         "Exit code 0: all functions were measured; 1: a measurement failed; 2: usage error.\n";
}

std::string list_text(const Functions& table) {
  std::size_t widest = 0;
  for (const Function& function : table) {
    widest = std::max(widest, function.name.size());
  }
  std::string text;
  for (const Function& function : table) {
    std::string group(group_of(function));
    group.resize(13, ' ');
    std::string growth = function.expectation.empty() ? "" : "O(" + function.expectation + ")";
    growth.resize(std::max<std::size_t>(growth.size(), 12), ' ');
    text +=
        function.name + std::string(widest + 2 - function.name.size(), ' ') + group + growth + function.summary + "\n";
  }
  return text;
}

}  // namespace adcl::bench
