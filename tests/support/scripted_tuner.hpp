/// \file scripted_tuner.hpp
/// A program with scripted times that uses a tuner as runtime::Request does. The test program defines MPI_Wtime, which
/// returns clock_s.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "support/suite.hpp"
#include "tuner/tuner.hpp"

namespace adcl::test {

inline double clock_s = 0.0;

/// The name of a folder of \p test, the same on all ranks. Removes the folder if it exists. Collective.
inline std::filesystem::path fresh_folder(Suite& suite, const char* test) {
  const auto name = std::filesystem::temp_directory_path() / text("adcl_", test, "_", suite.size());
  MPI_Barrier(MPI_COMM_WORLD);
  if (suite.rank() == 0) {
    std::filesystem::remove_all(name);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return name;
}

constexpr int most_starts = 5000;
constexpr int between_checks = 40;

struct Setup {
  std::vector<double> operation_s{60e-6, 20e-6, 30e-6, 40e-6};  ///< time of each candidate
  std::string search = "brute_force";
  std::string history = "off";
  std::string monitor = std::to_string(between_checks);
  std::uint64_t problem = 1;
  bool fallible = false;
  std::string timing = "arrival";
  std::string trace = "off";  ///< if it is a folder, every start in production is traced
};

/// A program with requests of one search, which run on leases as runtime::Request does.
class Program {
 public:
  Program(const std::shared_ptr<mpi::Context>& context, const Setup& setup)
      : context_(context), operation_s(setup.operation_s) {
    select::Subject subject;
    subject.id = context->next_id();
    subject.function_set = "some";
    subject.problem = text("problem ", setup.problem);
    subject.fallible = setup.fallible;
    for (std::size_t i = 0; i < operation_s.size(); ++i) {
      subject.candidates.push_back({std::string(1, static_cast<char>('a' + i)), {}});
    }
    OptionValues values(runtime::option_table());
    for (const auto& [name, value] : {std::pair{"ADCL_SEARCH", setup.search},
                                      {"ADCL_HISTORY", setup.history},
                                      {"ADCL_TIMING", setup.timing},
                                      {"ADCL_MONITOR", setup.monitor},
                                      {"ADCL_TRACE", setup.trace},
                                      {"ADCL_TRACE_PRODUCTION", std::string("1")}}) {
      values.set(runtime::find_option(name), value);
    }
    const auto settings = std::make_shared<const runtime::Settings>(runtime::Settings::from(std::move(values)));
    const Features features{{"bytes", static_cast<double>(setup.problem)}};
    const auto all_similar = [](const auto& /*names*/, const auto& /*here*/, const auto& /*there*/) { return 0.1; };
    const auto history =
        runtime::ProblemHistory::of(*context, settings, subject, features, setup.problem, all_similar, false);
    tuner.emplace(*context, std::move(subject), settings, runtime::Mode::blocking, history);
  }

  void start(std::int64_t request = 1) {
    ++starts;
    if (lease != nullptr && --lease->left >= 0) {
      clock_s += operation_s.at(static_cast<std::size_t>(last));
      return;
    }
    const select::Ticket ticket = tuner->next(request);
    if (!tuner->final_failure().empty()) {
      return;
    }
    last = ticket.candidate;
    const double seconds = operation_s.at(static_cast<std::size_t>(last)) * (is_slow() ? 100.0 : 1.0);
    clock_s += seconds;
    if (tuner->timed()) {
      ++timed;
      (runtime::is_comparison(ticket) ? pairs : is_checking() ? checked : others).push_back(starts);
      lease = nullptr;
      tuner->record_time(ticket, seconds, request);
    } else {
      lease = tuner->lease();
    }
  }
  void run_until(const std::function<bool()>& done) {
    for (int i = 0; i < most_starts && !done(); ++i) {
      start();
    }
  }
  void run(int count) {
    for (int i = 0; i < count; ++i) {
      start();
    }
  }
  void decide() {
    run_until([this] { return tuner->decided(); });
  }
  template <typename S>
  [[nodiscard]] bool is() const {
    return std::holds_alternative<S>(tuner->state());
  }
  [[nodiscard]] int winner() const { return static_cast<int>(tuner->winner()); }

 private:
  /// Whether the current start belongs to a check.
  [[nodiscard]] bool is_checking() const {
    const auto* production = std::get_if<runtime::Production>(&tuner->state());
    return production != nullptr && production->samples_left > 0;
  }
  [[nodiscard]] bool is_slow() const { return slow_outside_of_checks && is<runtime::Production>() && !is_checking(); }

  std::shared_ptr<mpi::Context> context_;

 public:
  std::vector<double> operation_s;
  std::optional<runtime::Tuner> tuner;
  std::shared_ptr<runtime::LeaseCounter> lease;
  bool slow_outside_of_checks = false;
  int last = 0;
  int starts = 0;
  int timed = 0;
  // Numbers of the timed starts, by purpose.
  std::vector<int> pairs;
  std::vector<int> checked;
  std::vector<int> others;
};

}  // namespace adcl::test
