/// The command line of app.h: the common options and the options of one application. Only this file includes CLI11.
#include <mpi.h>
#undef exit  // SimGrid's compiler defines a macro, but CLI::App has a member of this name

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <iostream>
#include <iterator>
#include <sstream>

#include "common/app_state.hpp"
#include "common/program.hpp"
#include "common/report_line.hpp"

namespace {

using apps::app_state;
using Choices = std::vector<apps::AppChoice>;
using Words = std::vector<std::string>;

constexpr int most_iterations = 1000000000;

CLI::App& parser() {
  static CLI::App app;
  return app;
}

/// Adds an option whose value \p read stores. \p read returns false for a value that is not \p allowed.
template <typename Read>
CLI::Option* add_value(const std::string& name, const std::string& unit, const std::string& help,
                       const std::string& allowed, Read read) {
  const auto store = [=](const std::string& word) {
    if (!read(word)) {
      throw CLI::ValidationError(name, "'" + word + "' is not " + allowed);
    }
  };
  return parser().add_option_function<std::string>(name, store, help)->type_name(unit);
}

/// Adds an option for \p n whole numbers, separated by x. Numbers are decimal, while CLI11 reads 010 as 8.
CLI::Option* add_numbers(const std::string& name, const std::string& unit, int n, int low, int high, int* values,
                         const std::string& help) {
  const auto read = [=](const std::string& word) {
    const char* at = word.data();
    const char* const end = at + word.size();
    for (int i = 0; i < n; ++i) {
      const bool separated = i == 0 || (at != end && *at++ == 'x');
      const auto [rest, error] = std::from_chars(at, end, values[i]);
      if (!separated || error != std::errc() || values[i] < low || values[i] > high) {
        return false;
      }
      at = rest;
    }
    return at == end;
  };
  std::string example = std::to_string(values[0]);
  for (int i = 1; i < n; ++i) {
    example += "x" + std::to_string(values[i]);
  }
  const std::string range = " from " + std::to_string(low) + " to " + std::to_string(high);
  const std::string allowed =
      n == 1 ? "a whole number" + range : std::to_string(n) + " whole numbers" + range + ", such as " + example;
  return add_value(name, unit, help, allowed, read)->default_str(example);
}

/// Adds an option whose value is one of \p words; \p value is its index from 0.
CLI::Option* add_word(const std::string& name, const Words& words, int* value, const std::string& help) {
  const auto store = [=](const std::string& word) {
    *value = static_cast<int>(std::find(words.begin(), words.end(), word) - words.begin());
  };
  CLI::Option* const option = parser().add_option_function<std::string>(name, store, help);
  return option->type_name("NAME")->default_str(words[static_cast<std::size_t>(*value)])->check(CLI::IsMember(words));
}

/// Like add_word, but the default is the first word, and the help explains each word.
void add_choice(const std::string& name, const Choices& choices, int* value, std::string help) {
  Words words;
  for (const apps::AppChoice& choice : choices) {
    words.push_back(choice.name);
    help += "\n" + choice.name + ": " + choice.summary;
  }
  *value = 0;
  add_word(name, words, value, help);
}

const Choices halo_exchanges{
    {"adcl", "ADCL, all fields in one request"},
    {"adcl-fields", "ADCL, one request for each field"},
    {"plain", "plain MPI: all fields in one message to each neighbor"},
    {"plain-fields", "plain MPI: one message for each field and neighbor"},
};
const Choices overlaps{
    {"none", "communicate, then compute"},
    {"init", "compute inside the block during the communication: ADCL_Request_init, _progress, _wait"},
    {"start_overlap", "as init, but ADCL measures both together: ADCL_Request_start_overlap; only with ADCL"},
};

void add_common_options(const Choices& exchanges) {
  apps::AppState& state = app_state();
  int* const iterations = &state.settings.iterations;
  CLI::Option* const limit =
      add_numbers("--iterations", "N", 1, 1, most_iterations, iterations, "stop after N iterations");
  limit->default_str(*iterations > 0 ? std::to_string(*iterations) : "");
  const bool own_steps = state.steps != nullptr;
  add_numbers("--steps", "N", 1, 1, most_iterations, own_steps ? state.steps : iterations,
              own_steps ? "stop after N time steps instead of N iterations"
                        : "as --iterations N: each iteration is a time step")
      ->default_str("")
      ->excludes(limit);
  add_choice("--exchange", exchanges, state.exchange_number, "method of the exchange:");
  if (state.exchanges.empty()) {
    add_choice("--overlap", overlaps, &state.settings.overlap, "how computation overlaps communication:");
    parser().add_flag("--timer", state.timer,
                      "with ADCL: choose codelets by the time of an iteration instead of the time of an exchange");
  }
  parser().add_option("--json", state.json, "also write the results as one JSON object")->type_name("FILE");
  parser().add_flag_callback(
      "--quiet", [&state] { state.settings.quiet = 1; }, "print only errors");
}

void parse(const Words& words) {
  apps::AppState& state = app_state();
  const Choices& exchanges = state.exchanges.empty() ? halo_exchanges : state.exchanges;
  add_common_options(exchanges);
  parser().parse(Words(words.rbegin(), words.rend()));
  if (const Words rest = parser().remaining(); !rest.empty()) {
    throw CLI::ValidationError("there is no option '" + rest.front() + "'");
  }
  state.exchange = exchanges[static_cast<std::size_t>(*state.exchange_number)].name;
  state.overlap = overlaps[static_cast<std::size_t>(state.settings.overlap)].name;
  state.settings.adcl = state.exchange.starts_with("adcl") ? 1 : 0;
  state.settings.joined = state.exchange.ends_with("-fields") ? 0 : 1;
  if (state.settings.overlap == APP_OVERLAP_START && state.settings.adcl == 0) {
    throw CLI::ValidationError("--overlap",
                               "start_overlap works with --exchange adcl and adcl-fields, not with " + state.exchange);
  }
}

/// Opens the file before the computation, so that a wrong path does not cost a run. Collective.
void open_json(int rank) {
  apps::AppState& state = app_state();
  int opened = 1;
  if (rank == 0 && parser().count("--json") > 0) {
    state.file.open(state.json);
    opened = state.file.is_open() ? 1 : 0;
  }
  MPI_Bcast(&opened, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (opened == 0) {
    throw CLI::ValidationError("--json", "cannot write to '" + state.json + "'");
  }
}

}  // namespace

apps::AppState& apps::app_state() {
  static AppState state;
  return state;
}

void app_program(const char* name, const char* summary, const char* examples) {
  app_state().name = name;
  parser().set_help_flag("-h,--help", "print this text");  // the copy of CLI11 in highspy has no help flag
  parser().name("mpirun -n RANKS " + std::string(name))->description(std::string(name) + ": " + summary + "\n");
  parser().footer(
      "The program checks its answer. Exit code 0: the answer is right; 1: the answer is wrong; 2: usage error.\n"
      "ADCL's own options are environment variables, such as ADCL_SEARCH=brute_force.\n\nexamples:\n" +
      std::string(examples));
  parser().failure_message([](const CLI::App*, const CLI::Error& error) {
    std::string what = error.what();
    if (error.get_name() == "ArgumentMismatch") {
      what = what.substr(0, what.find(':')) + " needs a value";
    }
    return std::string(app_state().name) + ": " + what + " (" + app_state().name + " --help lists the options)\n";
  });
  parser().allow_extras()->option_defaults()->take_last();
}

void app_option(const char* name, const char* unit, int n, int low, int high, int* values, const char* help) {
  add_numbers(name, unit, n, low, high, values, help);
}

void app_option_word(const char* name, const char* words, int* value, const char* help) {
  std::istringstream text(words);
  add_word(name, Words(std::istream_iterator<std::string>(text), {}), value, help);
}

void app_option_text(const char* name, const char* unit, int size, char* value, const char* help) {
  add_value(name, unit, help, "a text of 1 to " + std::to_string(size - 1) + " characters",
            [=](const std::string& word) {
              if (word.empty() || word.size() >= static_cast<std::size_t>(size)) {
                return false;
              }
              value[word.copy(value, word.size())] = '\0';
              return true;
            });
}

void app_option_real(const char* name, const char* unit, double low, double high, double* value, const char* help) {
  // CLI::Range accepts the number high, and NaN.
  add_value(name, unit, help, "a number from " + apps::shortest(low) + " to below " + apps::shortest(high),
            [=](const std::string& word) {
              const char* const end = word.data() + word.size();
              const auto [rest, error] = std::from_chars(word.data(), end, *value);
              return error == std::errc() && rest == end && *value >= low && *value < high;
            })
      ->default_str(apps::shortest(*value));
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
    parse(apps::broadcast_arguments(argc, argv, rank));
    open_json(rank);
  } catch (const CLI::ParseError& error) {
    const int code = rank == 0 ? parser().exit(error, std::cout, std::cerr) : error.get_exit_code();
    return code == 0 ? apps::correct : apps::usage;
  } catch (const std::exception& error) {
    app_fail(error.what());
  }
  state.bar = std::make_unique<apps::ProgressBar>(rank == 0 && state.settings.quiet == 0);
  *settings = state.settings;
  return APP_RUN;
}
