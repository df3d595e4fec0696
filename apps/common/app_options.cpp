/// The command line of app.h: the common options and the options of one application.
#include <mpi.h>

#include <charconv>
#include <iostream>
#include <sstream>

#include "common/app_state.hpp"
#include "common/program.hpp"
#include "common/report_line.hpp"

namespace {

using apps::app_state;
using apps::AppOption;
using apps::UsageError;
using Choices = std::vector<apps::AppChoice>;

constexpr int most_iterations = 1000000000;

/// The program's own exchanges, or the common exchanges of all programs with halo exchanges.
const Choices& exchanges() {
  static const Choices of_halos{
      {"adcl", "ADCL, all fields in one request"},
      {"adcl-fields", "ADCL, one request for each field"},
      {"plain", "plain MPI: all fields in one message to each neighbor"},
      {"plain-fields", "plain MPI: one message for each field and neighbor"},
  };
  return app_state().exchanges.empty() ? of_halos : app_state().exchanges;
}

const Choices& overlaps() {
  static const Choices modes{
      {"none", "communicate, then compute"},
      {"init", "compute inside the block during the communication: ADCL_Request_init, _progress, _wait"},
      {"start_overlap", "as init, but ADCL measures both together: ADCL_Request_start_overlap; only with ADCL"},
  };
  return modes;
}

int find(const Choices& choices, const std::string& option, const std::string& word) {
  std::string names;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (word == choices[i].name) {
      return static_cast<int>(i);
    }
    names += (names.empty() ? "" : ", ") + choices[i].name;
  }
  throw UsageError(option + " takes one of " + names + ", not '" + word + "'");
}

int word_number(const AppOption& option, const std::string& word) {
  std::string names;
  for (std::size_t i = 0; i < option.words.size(); ++i) {
    if (word == option.words[i]) {
      return static_cast<int>(i);
    }
    names += (names.empty() ? "" : ", ") + option.words[i];
  }
  throw UsageError(option.name + " takes one of " + names + ", not '" + word + "'");
}

void read_text(const AppOption& option, const std::string& word) {
  if (word.empty() || word.size() >= option.size) {
    throw UsageError(option.name + " takes 1 to " + std::to_string(option.size - 1) + " characters");
  }
  word.copy(option.text, word.size());
  option.text[word.size()] = '\0';
}

void read_real(const AppOption& option, const std::string& word) {
  const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), *option.real);
  if (error != std::errc() || rest != word.data() + word.size() || !(*option.real >= option.real_low) ||
      !(*option.real < option.real_high)) {
    throw UsageError(option.name + " takes a number from " + apps::shortest(option.real_low) + " to below " +
                     apps::shortest(option.real_high) + ", not '" + word + "'");
  }
}

void read_numbers(const AppOption& option, const std::string& word) {
  const char* at = word.data();
  const char* const end = at + word.size();
  for (int i = 0; i < option.count; ++i) {
    const auto [rest, error] = std::from_chars(at, end, option.values[i]);
    const bool last = i + 1 == option.count;
    if (error != std::errc() || option.values[i] < option.low || option.values[i] > option.high ||
        (last ? rest != end : rest == end || *rest != 'x')) {
      throw UsageError(option.name + " takes " +
                       (option.count == 1 ? "a whole number" : std::to_string(option.count) + " whole numbers") +
                       " from " + std::to_string(option.low) + " to " + std::to_string(option.high) +
                       (option.count == 1 ? "" : ", such as " + option.unit) + ", not '" + word + "'");
    }
    at = last ? rest : rest + 1;
  }
}

void help_line(std::ostringstream& text, const std::string& option, const std::string& help) {
  text << "  " << option << std::string(option.size() < 20 ? 20 - option.size() : 1, ' ') << help << "\n";
}

void help_choices(std::ostringstream& text, const Choices& choices) {
  for (const apps::AppChoice& choice : choices) {
    text << "                        " << choice.name << std::string(15 - choice.name.size(), ' ') << choice.summary
         << "\n";
  }
  text << "                      (default " << choices.front().name << ")\n";
}

std::string help_text() {
  const apps::AppState& state = app_state();
  std::ostringstream text;
  text << state.name << ": " << state.summary << "\n\nusage: mpirun -n RANKS " << state.name << " [options]\n\n";
  for (const AppOption& option : state.options) {
    if (option.text != nullptr) {
      help_line(text, option.name + " " + option.unit, option.help);
      continue;
    }
    if (option.real != nullptr) {
      help_line(text, option.name + " " + option.unit, option.help + " (default " + apps::shortest(*option.real) + ")");
      continue;
    }
    std::string value = option.words.empty() ? "" : option.words[static_cast<std::size_t>(*option.values)];
    for (int i = 0; option.words.empty() && i < option.count; ++i) {
      value += (i > 0 ? "x" : "") + std::to_string(option.values[i]);
    }
    help_line(text, option.name + " " + option.unit, option.help + " (default " + value + ")");
  }
  const int iterations = state.settings.iterations;
  help_line(text, "--iterations N",
            "stop after N iterations (default " + (iterations > 0 ? std::to_string(iterations) : "as above") + ")");
  help_line(text, "--steps N",
            state.steps == nullptr ? "as --iterations N: each iteration is a time step"
                                   : "stop after N time steps instead of N iterations");
  help_line(text, "--exchange NAME", "method of the exchange, one of");
  help_choices(text, exchanges());
  if (state.exchanges.empty()) {
    help_line(text, "--overlap MODE", "how computation overlaps communication, one of");
    help_choices(text, overlaps());
    help_line(text, "--timer",
              "with ADCL: choose codelets by the time of an iteration instead of the time of an exchange");
  }
  help_line(text, "--json FILE", "also write the results as one JSON object");
  help_line(text, "--quiet", "print only errors");
  help_line(text, "--help", "print this text");
  text << "\nThe program checks its answer. Exit code 0: the answer is right; 1: the answer is wrong; 2: usage error.\n"
          "ADCL's own options are environment variables, such as ADCL_SEARCH=brute_force.\n\nexamples:\n";
  std::istringstream examples(state.examples);
  for (std::string line; std::getline(examples, line);) {
    text << "  " << line << "\n";
  }
  return text.str();
}

void read_own(const std::string& name, apps::Arguments& arguments) {
  for (const AppOption& option : app_state().options) {
    if (option.name != name) {
      continue;
    }
    const std::string word = arguments.text();
    if (option.text != nullptr) {
      read_text(option, word);
    } else if (option.real != nullptr) {
      read_real(option, word);
    } else if (option.words.empty()) {
      read_numbers(option, word);
    } else {
      *option.values = word_number(option, word);
    }
    return;
  }
  throw UsageError("there is no option '" + name + "' (" + app_state().name + " --help lists them)");
}

/// Returns true if the help is requested.
bool read(const std::vector<std::string>& words) {
  apps::AppState& state = app_state();
  state.exchange = exchanges().front().name;
  state.overlap = overlaps().front().name;
  bool wants_help = false;
  bool iterations = false;
  bool steps = false;
  apps::Arguments arguments(words);
  while (arguments.next()) {
    const std::string& option = arguments.option();
    if (option == "--iterations") {
      state.settings.iterations = static_cast<int>(arguments.number(1, most_iterations));
      iterations = true;
    } else if (option == "--steps") {
      (state.steps == nullptr ? state.settings.iterations : *state.steps) =
          static_cast<int>(arguments.number(1, most_iterations));
      steps = true;
    } else if (option == "--exchange") {
      state.exchange = arguments.text();
    } else if (option == "--overlap" && state.exchanges.empty()) {
      state.overlap = arguments.text();
    } else if (option == "--timer" && state.exchanges.empty()) {
      state.timer = arguments.flag();
    } else if (option == "--json") {
      state.json = arguments.text();
      if (state.json.empty()) {
        throw UsageError("--json takes the name of a file");
      }
    } else if (option == "--quiet") {
      state.settings.quiet = arguments.flag() ? 1 : 0;
    } else if (option == "--help" || option == "-h") {
      wants_help = arguments.flag();
    } else {
      read_own(option, arguments);
    }
  }
  if (iterations && steps) {
    throw UsageError("--iterations and --steps exclude each other: use only one of them");
  }
  const int exchange = find(exchanges(), "--exchange", state.exchange);
  state.settings.adcl = state.exchange.starts_with("adcl") ? 1 : 0;
  state.settings.joined = state.exchange.ends_with("-fields") ? 0 : 1;
  if (state.exchange_number != nullptr) {
    *state.exchange_number = exchange;
  }
  state.settings.overlap = find(overlaps(), "--overlap", state.overlap);
  if (state.settings.overlap == APP_OVERLAP_START && state.settings.adcl == 0) {
    throw UsageError("--overlap start_overlap works with --exchange adcl and adcl-fields, not with " + state.exchange);
  }
  return wants_help;
}

/// Opens the file before the computation, so that a wrong path does not cost a run. Collective.
void open_json(int rank) {
  apps::AppState& state = app_state();
  int opened = 1;
  if (rank == 0 && !state.json.empty()) {
    state.file.open(state.json);
    opened = state.file.is_open() ? 1 : 0;
  }
  MPI_Bcast(&opened, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (opened == 0) {
    throw UsageError("--json: cannot write to '" + state.json + "'");
  }
}

}  // namespace

apps::AppState& apps::app_state() {
  static AppState state;
  return state;
}

void app_program(const char* name, const char* summary, const char* examples) {
  apps::AppState& state = app_state();
  state.name = name;
  state.summary = summary;
  state.examples = examples;
}

void app_option(const char* name, const char* unit, int n, int low, int high, int* values, const char* help) {
  AppOption option{.name = name, .unit = unit, .help = help};
  option.count = n;
  option.low = low;
  option.high = high;
  option.values = values;
  app_state().options.push_back(option);
}

void app_option_word(const char* name, const char* words, int* value, const char* help) {
  AppOption option{.name = name, .unit = "NAME", .help = help};
  option.values = value;
  std::istringstream text(words);
  std::string names;
  for (std::string word; text >> word;) {
    names += (names.empty() ? "" : ", ") + word;
    option.words.push_back(word);
  }
  option.help += ": " + names;
  app_state().options.push_back(option);
}

void app_option_text(const char* name, const char* unit, int size, char* value, const char* help) {
  AppOption option{.name = name, .unit = unit, .help = help};
  option.text = value;
  option.size = static_cast<std::size_t>(size);
  app_state().options.push_back(option);
}

void app_option_real(const char* name, const char* unit, double low, double high, double* value, const char* help) {
  AppOption option{.name = name, .unit = unit, .help = help};
  option.real = value;
  option.real_low = low;
  option.real_high = high;
  app_state().options.push_back(option);
}

void app_steps(int* steps) { app_state().steps = steps; }

void app_exchanges(const char* names, const char* summaries, int* value) {
  std::istringstream all_names(names);
  std::istringstream all_summaries(summaries);
  apps::AppChoice choice;
  while (all_names >> choice.name && std::getline(all_summaries, choice.summary)) {
    app_state().exchanges.push_back(choice);
  }
  app_state().exchange_number = value;
}

int app_usage(const char* message) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    std::cerr << std::string(app_state().name) + ": " + message + "\n" << std::flush;
  }
  return apps::usage;
}

int app_begin(int argc, char** argv, AppSettings* settings) {
  apps::AppState& state = app_state();
  state.settings = *settings;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    // The help shows the defaults, so create it before options change them.
    const std::string help = help_text();
    if (read(apps::broadcast_arguments(argc, argv, rank))) {
      if (rank == 0) {
        std::cout << help << std::flush;
      }
      return apps::correct;
    }
    open_json(rank);
  } catch (const UsageError& error) {
    return app_usage(error.what());
  } catch (const std::exception& error) {
    app_fail(error.what());
  }
  state.bar = std::make_unique<apps::ProgressBar>(rank == 0 && state.settings.quiet == 0);
  *settings = state.settings;
  return APP_RUN;
}
