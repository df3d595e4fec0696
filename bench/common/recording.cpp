#include "common/recording.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <random>

#include "common/median.hpp"

namespace bench {
namespace {

constexpr unsigned seed = 20031105;
constexpr int following = 4;          ///< executions of a block after the first one
constexpr double hopeless_s = 20e-3;  ///< a plan whose second execution takes longer runs in two rounds only

/// Seconds of each of \p count starts, maximum over the ranks. Collective.
std::vector<double> timed(const Recorded& plan, int count) {
  std::vector<double> seconds;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) {
    const double begin = MPI_Wtime();
    const int code = plan.start();
    seconds.push_back(MPI_Wtime() - begin);
    check(code, "the start of a request");
  }
  MPI_Allreduce(MPI_IN_PLACE, seconds.data(), count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

/// Seconds of the first start, maximum over the ranks; empty if the plan cannot be made. Collective.
std::optional<double> first_start(const Recorded& plan) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  const int code = plan.start();
  double seconds = MPI_Wtime() - begin;
  if (code == ADCL_ERR_NO_CODELET) {
    return std::nullopt;
  }
  check(code, "the first start of a request");
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

/// Rounds to four significant digits.
double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return std::strtod(text, nullptr);
}

Json microseconds(const std::vector<double>& seconds) {
  Json list = Json::array();
  for (const double value : seconds) {
    list.push_back(rounded(value * 1e6));
  }
  return list;
}

/// Times of all plans of a codelet; null if no plan could be made.
Json together(std::vector<Recorded>::const_iterator begin, std::vector<Recorded>::const_iterator end) {
  std::vector<double> firsts;
  std::vector<double> switches;
  std::vector<double> samples;
  for (auto plan = begin; plan != end; ++plan) {
    if (plan->possible) {
      firsts.push_back(plan->first_s);
      switches.insert(switches.end(), plan->switches.begin(), plan->switches.end());
      samples.insert(samples.end(), plan->samples.begin(), plan->samples.end());
    }
  }
  if (firsts.empty()) {
    return nullptr;
  }
  return {{"first_us", rounded(median_of(firsts).median * 1e6)},
          {"switch_us", rounded(median_of(switches).median * 1e6)},
          {"samples_us", microseconds(samples)}};
}

/// Ratio of the fastest codelet's time to the time of the table's first codelet: geometric mean over the settings.
Json figures_of(const Json& settings) {
  double sum = 0.0;
  for (const Json& setting : settings) {
    const auto median_us = [](const Json& codelet) {
      return median_of(codelet.at("samples_us").get<std::vector<double>>()).median;
    };
    const Json& codelets = setting.at("codelets");
    double best_us = median_us(*codelets.begin());
    const double first_us = best_us;
    for (const Json& codelet : codelets) {
      best_us = std::min(best_us, median_us(codelet));
    }
    sum += std::log(best_us / first_us);
  }
  const double mean = std::exp(sum / static_cast<double>(std::max<std::size_t>(1, settings.size())));
  return Json::array({figure("best_over_first", mean)});
}

/// One line for each codelet.
std::string lines_of(const Json& context, const Json& settings) {
  std::string text =
      "{\"context\": " + context.dump() + ",\n \"figures\": " + figures_of(settings).dump() + ",\n \"settings\": [\n";
  const char* between = "";
  for (const Json& setting : settings) {
    Json head = setting;
    head.erase("codelets");
    std::string line = head.dump();
    line.pop_back();
    text += std::string(between) + line + ", \"codelets\": {\n";
    between = ",\n";
    const char* comma = "  ";
    for (const auto& [name, numbers] : setting["codelets"].items()) {
      text += comma + Json(name).dump() + ": " + numbers.dump();
      comma = ",\n  ";
    }
    text += "}}";
  }
  return text + "\n]}\n";
}

}  // namespace

Effort effort_of(int argc, char** argv, std::vector<std::string>& names) {
  Effort effort;
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    const char* const value = argv[i] + word.find('=') + 1;
    if (word.starts_with("--plans=")) {
      effort.plans = std::max(1, std::atoi(value));
    } else if (word.starts_with("--rounds=")) {
      effort.rounds = std::max(2, std::atoi(value));
    } else if (word.starts_with("-")) {
      std::fprintf(stderr, "%s is not an option; --plans=N and --rounds=N are\n", word.c_str());
      MPI_Abort(MPI_COMM_WORLD, 2);
    } else {
      names.push_back(word);
    }
  }
  return effort;
}

Json record(std::vector<Recorded>& all, const Effort& effort) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 engine(seed);
  std::shuffle(order.begin(), order.end(), engine);
  for (const std::size_t i : order) {
    const auto seconds = first_start(all[i]);
    all[i].first_s = seconds.value_or(0.0);
    all[i].possible = seconds.has_value();
  }
  std::erase_if(order, [&](std::size_t i) { return !all[i].possible; });
  for (int round = 0; round < effort.rounds; ++round) {
    std::shuffle(order.begin(), order.end(), engine);
    for (const std::size_t i : order) {
      Recorded& plan = all[i];
      if (round >= 2 && plan.samples.front() > hopeless_s) {
        continue;
      }
      const std::vector<double> block = timed(plan, 1 + following);
      plan.switches.push_back(block.front());
      plan.samples.insert(plan.samples.end(), block.begin() + 1, block.end());
    }
  }
  Json codelets = Json::object();
  for (auto begin = all.cbegin(); begin != all.cend();) {
    const auto end = std::find_if(begin, all.cend(), [&](const Recorded& r) { return r.codelet != begin->codelet; });
    if (Json numbers = together(begin, end); !numbers.is_null()) {
      codelets[begin->codelet] = std::move(numbers);
    }
    begin = end;
  }
  return codelets;
}

int write_tables(const char* path, const Json& settings) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int code = 0;
  if (rank == 0) {
    std::ofstream file(path);
    file << lines_of({{"form", form_name()}, {"ranks", size}, {"mpi_library", library_name()}}, settings) << std::flush;
    code = file.good() ? 0 : 1;
  }
  MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return code;
}

}  // namespace bench
