/// The report of app.h: text for users, JSON for programs, and the exit code.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iostream>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>

#include "common/app_state.hpp"
#include "common/mpi_library.hpp"
#include "common/program.hpp"
#include "common/report_line.hpp"

namespace {

using apps::Line;

struct Report {
  std::ostringstream text;
  nlohmann::json json = nlohmann::json::object();
  bool correct = true;
};

Report& report() {
  static Report the_report;
  return the_report;
}

template <typename Value>
void add(const char* key, const char* label, const Value& value) {
  report().json[key] = value;
  Line(report().text, label) << value << '\n';
}

struct Times {
  double setup_s;
  double total_s;
  double exchange_s;
  double searching_s;
  double exchange_mean_s;
};

/// Maxima over all ranks. The mean after the search is a difference, which each rank computes before the maximum is
/// taken.
Times times_of(const apps::ExchangeCost& cost, double setup_s, double total_s) {
  const int measured = cost.exchanges - cost.searching_exchanges;
  const double mean = measured > 0 ? (cost.seconds - cost.searching_seconds) / measured : 0.0;
  std::array<double, 5> all{setup_s, total_s, cost.seconds, cost.searching_seconds, mean};
  MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return {all[0], all[1], all[2], all[3], all[4]};
}

apps::ExchangeCost sum_of(std::span<AppExchange* const> exchanges) {
  apps::ExchangeCost sum;
  for (const AppExchange* const exchange : exchanges) {
    const apps::ExchangeCost cost = apps::cost_of(*exchange);
    sum.exchanges += cost.exchanges;
    sum.seconds += cost.seconds;
    sum.searching_exchanges += cost.searching_exchanges;
    sum.searching_seconds += cost.searching_seconds;
  }
  return sum;
}

void add_times(const Times& times, const apps::ExchangeCost& cost, bool after_search) {
  std::ostringstream& text = report().text;
  Line(text, "total time") << apps::seconds(times.total_s) << ", without set-up " << apps::seconds(times.setup_s)
                           << '\n';
  Line(text, "in exchanges") << apps::seconds(times.exchange_s) << ' ' << apps::share(times.exchange_s, times.total_s)
                             << '\n';
  if (cost.exchanges > cost.searching_exchanges) {
    Line(text, "per exchange") << apps::fixed(1e6 * times.exchange_mean_s, 2) << " us"
                               << (after_search ? ", after the search\n" : "\n");
  }
  report().json["seconds"] = {{"setup", times.setup_s},
                              {"total", times.total_s},
                              {"exchange", times.exchange_s},
                              {"per_exchange", times.exchange_mean_s}};
  report().json["exchanges"] = cost.exchanges;
}

std::string heading() {
  const apps::AppState& state = apps::app_state();
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::ostringstream text;
  Line(text, "mpi") << apps::mpi_library() << '\n';
  Line(text, "processes") << ranks << '\n';
  Line(text, "exchange") << state.exchange << (state.exchanges.empty() ? ", overlap " + state.overlap : "") << '\n';
  nlohmann::json& json = report().json;
  json["mpi"] = apps::mpi_library();
  json["ranks"] = ranks;
  json["exchange"] = state.exchange;
  json["overlap"] = state.overlap;
  json["correct"] = report().correct;
  return text.str();
}

/// Rank 0 writes the report. Returns false if the JSON file could not be written.
bool publish(const std::string& text) {
  apps::AppState& state = apps::app_state();
  if (state.settings.quiet == 0) {
    std::cout << text << std::flush;
  }
  if (state.json.empty()) {
    return true;
  }
  state.file << report().json.dump() << "\n";
  state.file.close();
  return state.file.good();
}

}  // namespace

void app_report_text(const char* key, const char* label, const char* value) { add(key, label, std::string(value)); }

void app_report_whole(const char* key, const char* label, std::int64_t value) { add(key, label, value); }

void app_report_number(const char* key, const char* label, double value) {
  report().json[key] = value;
  Line(report().text, label) << apps::scientific(value) << '\n';
}

void app_report_check(const char* key, const char* label, double value, double limit) {
  const bool good = value <= limit;
  report().correct = report().correct && good;
  report().json[key] = {{"value", value}, {"limit", limit}};
  Line(report().text, label) << apps::scientific(value) << ", expected at most " << apps::scientific(limit)
                             << apps::verdict(good);
}

void app_report_checksum(const char* key, const char* label, std::uint64_t value) {
  report().json["checksum"][key] = apps::checksum(value);
  Line(report().text, label) << apps::checksum(value) << '\n';
}

std::uint64_t app_mix(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

std::uint64_t app_mix_value(double value, std::uint64_t place) {
  return app_mix(std::bit_cast<std::uint64_t>(value) ^ app_mix(place + 1));
}

void app_progress(double done) {
  if (apps::app_state().bar) {
    apps::app_state().bar->show(done);
  }
}

int app_finish(double setup_s, double total_s, int n, AppExchange* const* exchanges) {
  const std::span<AppExchange* const> all(exchanges, static_cast<std::size_t>(n));
  apps::app_state().bar.reset();
  const apps::ExchangeCost cost = sum_of(all);
  const Times times = times_of(cost, setup_s, total_s);
  int good = 1;
  try {
    const auto tuning = apps::tuning_of(*all.front());
    add_times(times, cost, tuning != nullptr);
    report().json["tuning"] = nullptr;
    if (tuning) {
      tuning->searching_starts = cost.searching_exchanges;
      tuning->searching_seconds = times.searching_s;
      apps::write_tuning(*tuning, cost.exchanges, times.total_s, report().text);
      report().json["tuning"] = apps::tuning_json(*tuning);
    }
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const std::string text = heading() + report().text.str();
    if (rank == 0) {
      good = publish(text) ? 1 : 0;
      if (good == 0) {
        std::cerr << std::string(apps::app_state().name) + ": --json: writing '" + apps::app_state().json + "' failed\n"
                  << std::flush;
      } else if (!report().correct) {
        std::cerr << std::string(apps::app_state().name) + ": the answer is wrong: see the lines marked WRONG\n"
                  << std::flush;
      }
    }
  } catch (const std::exception& error) {
    app_fail(error.what());
  }
  MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return good == 1 && report().correct ? apps::correct : apps::wrong;
}
