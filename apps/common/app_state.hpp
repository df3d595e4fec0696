/// \file app_state.hpp
/// What the parts of app.h know of each other: one program, one process.
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
  std::string unit;  ///< what stands for the value in the help
  std::string help;
  std::vector<std::string> words{};  ///< where the value is one of these
  int count = 1;
  int low = 0;
  int high = 0;
  int* values = nullptr;
  char* text = nullptr;    ///< where the value is a text
  std::size_t size = 0;    ///< of the text, with the character that ends it
  double* real = nullptr;  ///< where the value is a real number
  double real_low = 0.0;
  double real_high = 0.0;
};

/// A value of an option, and what the help says about it.
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
  std::vector<AppChoice> exchanges;  ///< the program's own; otherwise those of all
  int* exchange_number = nullptr;    ///< where its own are numbered
  int* steps = nullptr;              ///< where time steps are not iterations
  std::string exchange;
  std::string overlap;
  bool timer = false;
  std::string json;
  std::ofstream file;
  std::unique_ptr<ProgressBar> bar;
};

AppState& app_state();

/// What one exchange cost so far on this rank.
struct ExchangeCost {
  int exchanges = 0;  ///< all fields count as one
  double seconds = 0.0;
  int searching_exchanges = 0;
  double searching_seconds = 0.0;
};

ExchangeCost cost_of(const AppExchange& exchange);

/// Null when the program's own messages are exchanged.
std::unique_ptr<Tuning> tuning_of(const AppExchange& exchange);

}  // namespace apps
