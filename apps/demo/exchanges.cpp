#include "exchanges.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "common/app_state.hpp"
#include "messages.h"
#include "partition.h"
#include "solver.h"

namespace demo {
namespace {

/// The hand-written exchanges (US_WAYS of them), then ADCL.
std::vector<std::string> names() {
  std::vector<std::string> result;
  std::istringstream words(US_WAY_NAMES);
  for (std::string word; words >> word;) {
    result.push_back(word);
  }
  result.emplace_back("adcl");
  return result;
}

/// The winner of ADCL for each exchange: first the search directions, then the levels, finest first.
nlohmann::json tuning_of(UsSolver* solver) {
  AppExchange* const* exchanges = nullptr;
  const int count = us_solver_exchanges(solver, &exchanges);
  nlohmann::json result = nlohmann::json::array();
  for (int i = 0; i < count; ++i) {
    const apps::ExchangeCost cost = apps::cost_of(*exchanges[i]);
    const auto tuning = apps::tuning_of(*exchanges[i]);
    result.push_back({{"winner", tuning->winner},
                      {"candidates", tuning->candidates.size()},
                      {"starts", cost.exchanges},
                      {"searching_starts", cost.searching_exchanges}});
  }
  return result;
}

class Solvers {
 public:
  Solvers(const SolverSize& size, const Limits& limits) : size_(size) { iterations_ = measure(limits); }
  Solvers(const Solvers&) = delete;
  Solvers& operator=(const Solvers&) = delete;
  ~Solvers() {
    for (UsSolver* solver : solvers_) {
      if (solver != nullptr) {
        us_solver_free(solver);
      }
    }
  }

  /// Runs a part of a round.
  Run run_part(std::size_t way) { return run_part(way, iterations_); }

  /// Runs ADCL's solver for less than a part of a round. The first call also creates the requests.
  Run run_search_part() {
    const bool first = adaptive() == nullptr;
    Run run = run_part(US_WAYS, search_iterations());
    run.seconds += first ? largest(record_.exchange_setup_s) : 0.0;
    return run;
  }

  [[nodiscard]] bool searches_have_ended() const {
    AppExchange* const* exchanges = nullptr;
    const int count = us_solver_exchanges(adaptive(), &exchanges);
    return std::all_of(exchanges, exchanges + count,
                       [](const AppExchange* exchange) { return !apps::tuning_of(*exchange)->winner.empty(); });
  }

  /// Restarts ADCL's solver at the initial state of the other solvers, and keeps its exchanges.
  void restart() { us_solver_restart(adaptive()); }

  [[nodiscard]] int iterations() const { return iterations_; }
  [[nodiscard]] int search_iterations() const { return std::max(iterations_ / 10, 1); }
  [[nodiscard]] int message_bytes() const {
    return record_.largest_message * size_.fields * static_cast<int>(sizeof(double));
  }
  [[nodiscard]] UsSolver* adaptive() const { return solvers_.back(); }

 private:
  Run run_part(std::size_t way, int iterations) {
    UsSolver*& solver = solvers_[way];
    if (solver == nullptr) {
      solver = make(way);
    }
    us_solver_continue(solver, iterations);
    us_solver_run(solver, &record_);
    Run run;
    run.seconds = largest(record_.total_s);
    run.answer = app_mix(record_.solution) ^ record_.history;
    run.fault = fault();
    return run;
  }

  /// Describes an error in the solver's last result; empty if there is none.
  [[nodiscard]] std::string fault() const {
    std::ostringstream text;
    if (!(record_.residual <= record_.residual_limit)) {
      text << "residual " << record_.residual << " above " << record_.residual_limit;
    } else if (!(record_.error <= record_.error_limit)) {
      text << "error " << record_.error << " above " << record_.error_limit;
    }
    return text.str();
  }

  /// Opens all connections; returns the number of iterations per round.
  int measure(const Limits& limits) {
    constexpr int few = 5;
    constexpr int many = 20;
    UsSolver* const solver = make(US_PACKED);
    us_solver_continue(solver, few);
    us_solver_run(solver, &record_);
    us_solver_continue(solver, many);
    us_solver_run(solver, &record_);
    us_solver_free(solver);
    return repetitions(record_.total_s / many, solvers_.size(), limits);
  }

  [[nodiscard]] UsSolver* make(std::size_t way) const {
    const bool adcl = way == US_WAYS;
    const UsOptions options{.points = size_.points,
                            .fields = size_.fields,
                            .levels = size_.levels,
                            .partition = US_COORDINATES,
                            .messages = adcl ? US_PACKED : static_cast<int>(way),
                            .steps = 0,
                            .tolerance = 1e-8,
                            .spoil = 0};
    const AppSettings settings{
        .iterations = 0, .adcl = adcl ? 1 : 0, .joined = 1, .overlap = APP_OVERLAP_NONE, .quiet = 1};
    return us_solver_make(&options, &settings, MPI_COMM_WORLD);
  }

  SolverSize size_;
  int iterations_ = 0;
  std::array<UsSolver*, US_WAYS + 1> solvers_{};
  UsRecord record_{};
};

}  // namespace

Comparison compare_exchanges(const SolverSize& size, const Limits& limits) {
  Solvers solvers(size, limits);
  Comparison result;
  finish_searches([&solvers] { return solvers.run_search_part(); },
                  [&solvers] { return solvers.searches_have_ended(); }, solvers.search_iterations(), limits, result);
  solvers.restart();
  run_rounds(
      names(), [&solvers](std::size_t i) { return solvers.run_part(i); }, limits, result);
  result.record["tuning"] = tuning_of(solvers.adaptive());
  result.record["message_bytes"] = solvers.message_bytes();
  result.record["points"] = size.points;
  result.record["fields"] = size.fields;
  result.record["levels"] = size.levels;
  result.record["iterations"] = solvers.iterations();
  return result;
}

}  // namespace demo
