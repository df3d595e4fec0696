/// \file app_state.hpp
/// State shared by the parts of app.h: one program, one process.
#pragma once

#include <cstddef>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "common/app.h"
#include "common/progress_bar.hpp"
#include "common/tuning.hpp"

namespace apps {

struct AppOption {
  std::string name;
  std::string unit;  ///< name of the value in the help
  std::string help;
  std::vector<std::string> words{};  ///< allowed values, if the value is a word
  int count = 1;
  int low = 0;
  int high = 0;
  int* values = nullptr;
  char* text = nullptr;    ///< destination of a text
  std::size_t size = 0;    ///< size of the text, including the terminating character
  double* real = nullptr;  ///< destination of a real number
  double real_low = 0.0;
  double real_high = 0.0;
};

/// A value of an option, and its line in the help.
struct AppChoice {
  std::string name;
  std::string summary;
};

struct AppState {
  const char* name = "";
  const char* summary = "";
  const char* examples = "";
  std::vector<AppOption> options;
  AppSettings settings{};
  std::vector<AppChoice> exchanges;  ///< the program's own exchanges; empty: the common exchanges
  int* exchange_number = nullptr;    ///< receives the index of the selected exchange
  int* steps = nullptr;              ///< destination of --steps, if time steps are not iterations
  std::string exchange;
  std::string overlap;
  bool timer = false;
  std::string json;
  std::ofstream file;
  std::unique_ptr<ProgressBar> bar;
};

AppState& app_state();

/// Cost of one exchange on this rank so far.
struct ExchangeCost {
  int exchanges = 0;  ///< all fields together count as one exchange
  double seconds = 0.0;
  int searching_exchanges = 0;
  double searching_seconds = 0.0;
};

ExchangeCost cost_of(const AppExchange& exchange);

/// Null if the exchange uses the program's own messages.
std::unique_ptr<Tuning> tuning_of(const AppExchange& exchange);

}  // namespace apps
