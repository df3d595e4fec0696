/// \file app_state.hpp
/// State shared by the parts of app.h: one program, one process.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "common/app.h"
#include "common/progress_bar.hpp"
#include "common/tuning.hpp"

namespace apps {

/// A value of an option, and its line in the help.
struct AppChoice {
  std::string name;
  std::string summary;
};

struct AppState {
  const char* name = "";
  AppSettings settings{};
  std::vector<AppChoice> exchanges;  ///< the program's own exchanges; empty: the common exchanges
  int halo_exchange = 0;
  int* exchange_number = &halo_exchange;  ///< receives the index of the selected exchange
  int* steps = nullptr;                   ///< destination of --steps, if time steps are not iterations
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
