// with: collectives/forced_algorithms.cpp
// links: bench_mpi adcl_objects
// Collectives on a network: winners of requests compared with the MPI library's own call, for collectives_network.py,
// on any number of processes.
//
//   live_collectives SEARCH_SECONDS TURNS_SECONDS LONGEST_CALL FILE SETTING...
//
// A SETTING is an operation and a size in bytes, such as `alltoall_4096`. A request with all codelets is started 2000
// times, or until SEARCH_SECONDS are over, but at least 60 times. Then the following take turns for TURNS_SECONDS, and
// at least until each has had three turns: the request, the plain call, a second plain call with separate buffers (the
// control, which shows the effect of chance), and the library's forced algorithms. A turn is a block of calls whose
// first call is not counted. It has at least six calls, because ranks that only send run ahead of the others in shorter
// blocks; if a call takes more than 50 ms, a turn has one call. The result is the mean time of all turns, because on
// these networks the number of stalls depends on the algorithm. The mean of a turn is the maximum over the ranks. If a
// call takes longer than LONGEST_CALL, nothing is measured. If the winner loses more than 5 %, the setting is measured
// twice more, each time with another search, and the median counts; if the control loses, it and the plain call take
// turns twice more.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <string>
#include <vector>

#include "collectives/forced_algorithms.hpp"
#include "common/document.hpp"
#include "common/median.hpp"
#include "function.hpp"
#include "preselected.hpp"

namespace {

using adcl::bench::Function;
using adcl::bench::OperationPointer;
using adcl::bench::Pattern;
using adcl::bench::Setting;
using bench::Json;

constexpr int wanted_starts = 2000;
constexpr int fewest_starts = 60;
constexpr std::size_t fewest_turns = 9;
constexpr std::size_t usual_contenders = 3;  ///< the plain call, the winner and the control
constexpr int most_repetitions = 4;
constexpr double block_s = 20e-3;
constexpr double long_call_s = 50e-3;
constexpr int fewest_in_a_row = 6;  ///< calls of a block, unless a call takes long
constexpr double doubtful = 1.05;
constexpr double tie = 1.02;
constexpr const char* native = "Native";

struct Limits {
  double search_s;
  double turns_s;
  double longest_call_s;
};

/// An operation that takes part in the turns, and the durations of its blocks.
struct Contender {
  std::string name;
  OperationPointer operation;
  std::vector<double> seconds{};

  [[nodiscard]] double mean_s() const {
    double sum = 0.0;
    for (const double one : seconds) {
      sum += one;
    }
    return sum / static_cast<double>(seconds.size());
  }
};

std::string lower(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

/// Seconds since \p begin on the slowest rank: a root, or a rank that only sends, is ahead of the other ranks.
double since(double begin) {
  double seconds = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

/// Mean seconds of a call in a block, maximum over the ranks.
double block_mean(adcl::bench::Operation& operation, double usual_s) {
  if (usual_s < long_call_s) {
    operation.run();
  }
  // Without the barrier, ranks that only send would already have sent the timed messages.
  MPI_Barrier(MPI_COMM_WORLD);
  const int fewest = usual_s < long_call_s ? fewest_in_a_row : 1;
  const int calls = std::clamp(static_cast<int>(block_s / usual_s), fewest, 2000);
  const double begin = MPI_Wtime();
  for (int i = 0; i < calls; ++i) {
    operation.run();
  }
  double seconds = (MPI_Wtime() - begin) / calls;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

/// Approximate duration of a call after the connections are open.
double look(adcl::bench::Operation& operation) {
  constexpr int calls = 3;
  double least_s = 0.0;
  for (int round = 0; round < 3; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < calls; ++i) {
      operation.run();
    }
    const double seconds = since(begin) / calls;
    least_s = round == 0 ? seconds : std::min(least_s, seconds);
  }
  return least_s;
}

struct Search {
  int starts = 0;
  double mean_s = 0.0;
};

Search search(adcl::bench::Operation& request, double usual_s, const Limits& limits) {
  const int at_once = std::clamp(static_cast<int>(block_s / usual_s), 1, 100);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  Search search;
  double seconds = 0.0;
  while (search.starts < fewest_starts || (search.starts < wanted_starts && seconds < limits.search_s)) {
    for (int i = 0; i < at_once; ++i) {
      request.run();
    }
    search.starts += at_once;
    seconds = since(begin);
  }
  search.mean_s = seconds / search.starts;
  return search;
}

/// \p contenders: the usual contenders, or the plain call twice, followed by algorithms.
void take_turns(std::vector<Contender>& contenders, double usual_s, const Limits& limits) {
  const std::size_t usual = std::min(contenders.size(), usual_contenders);
  const std::size_t algorithms = contenders.size() - usual;
  const std::size_t turns = std::max(fewest_turns, (usual_s < long_call_s ? 3 : 2) * algorithms);
  const double begin = MPI_Wtime();
  double seconds = 0.0;
  for (std::size_t turn = 0; turn < turns || seconds < limits.turns_s; ++turn) {
    std::vector<std::size_t> order(usual);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(turn % order.size()), order.end());
    if (turn / usual % 2 == 1) {
      std::reverse(order.begin(), order.end());
    }
    if (algorithms > 0) {
      order.insert(order.begin() + static_cast<std::ptrdiff_t>(turn % (usual + 1)), usual + turn % algorithms);
    }
    for (const std::size_t which : order) {
      contenders[which].seconds.push_back(block_mean(*contenders[which].operation, usual_s));
    }
    seconds = since(begin);
  }
}

std::string text_of(int (*get)(ADCL_Request, char*, int), const Contender& chosen) {
  std::array<char, ADCL_MAX_NAME> name{};
  adcl::bench::check(get(adcl::bench::request_of(*chosen.operation), name.data(), ADCL_MAX_NAME));
  return name.data();
}

/// True if the winner is slower than the plain call by more than a tie.
bool apart(const std::vector<Contender>& contenders) { return contenders[1].mean_s() > tie * contenders[0].mean_s(); }

Json compare(const Function& plain, const Pattern& pattern, const Setting& setting, const Limits& limits) {
  Json result = {{"setting", pattern.set + "_" + std::to_string(setting.bytes)}};
  std::vector<Contender> contenders;
  contenders.push_back({"native", plain.make(setting)});
  const double usual_s = look(*contenders[0].operation);
  if (usual_s > limits.longest_call_s) {
    result["left_out"] = usual_s;
    return result;
  }
  contenders.push_back({"chosen", pattern.make(setting, pattern.set, "")});
  contenders.push_back({"control", plain.make(setting)});
  const Search searched = search(*contenders[1].operation, usual_s, limits);
  std::vector<bench::ForcedAlgorithm> algorithms = bench::force_algorithms(pattern.set);
  for (const bench::ForcedAlgorithm& forced : algorithms) {
    Setting other = setting;
    other.comm = forced.comm;
    contenders.push_back({forced.name, plain.make(other)});
  }
  take_turns(contenders, usual_s, limits);
  const std::string codelet = text_of(ADCL_Request_get_curr_function, contenders[1]);
  for (int i = 1; i < most_repetitions && codelet == native && usual_s < long_call_s && apart(contenders); ++i) {
    take_turns(contenders, usual_s, limits);
  }
  result["native_s"] = contenders[0].mean_s();
  result["chosen_s"] = contenders[1].mean_s();
  result["control_s"] = contenders[2].mean_s();
  result["native_median_s"] = bench::median_of(contenders[0].seconds).median;
  result["chosen_median_s"] = bench::median_of(contenders[1].seconds).median;
  result["control_median_s"] = bench::median_of(contenders[2].seconds).median;
  result["turns"] = contenders[0].seconds.size();
  result["starts"] = searched.starts;
  result["search_s"] = searched.mean_s;
  result["codelet"] = codelet;
  result["winner"] = text_of(ADCL_Request_get_winner, contenders[1]);
  result["forced_s"] = Json::object();
  for (std::size_t i = usual_contenders; i < contenders.size(); ++i) {
    result["forced_s"][contenders[i].name] = contenders[i].mean_s();
  }
  if (!contenders[1].operation->correct()) {
    std::fprintf(stderr, "%s: wrong result\n", result["setting"].get<std::string>().c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  contenders.clear();
  bench::free_algorithms(algorithms);
  return result;
}

double over_native(const Json& result, const char* contender) {
  return result[contender].get<double>() / result["native_s"].get<double>();
}

double middle_of(std::vector<double> ratios) {
  std::sort(ratios.begin(), ratios.end());
  return ratios[ratios.size() / 2];
}

/// Ratio of the times of two plain calls, both with new operations.
double control(const Function& plain, const Setting& setting, double usual_s, const Limits& limits) {
  std::vector<Contender> contenders;
  contenders.push_back({"native", plain.make(setting)});
  contenders.push_back({"control", plain.make(setting)});
  take_turns(contenders, usual_s, limits);
  return contenders[1].mean_s() / contenders[0].mean_s();
}

/// All ranks have the same measurements, so they take the same branch.
Json compare_doubtful(const Function& plain, const Pattern& pattern, const Setting& setting, const Limits& limits) {
  std::vector<Json> results{compare(plain, pattern, setting, limits)};
  if (results[0].contains("left_out")) {
    return results[0];
  }
  while (results[0]["codelet"] != native && over_native(results[0], "chosen_s") > doubtful && results.size() < 3) {
    results.push_back(compare(plain, pattern, setting, limits));
  }
  std::vector<double> ratios;
  std::vector<double> controls;
  std::vector<std::string> codelets;
  for (const Json& one : results) {
    ratios.push_back(over_native(one, "chosen_s"));
    controls.push_back(over_native(one, "control_s"));
    codelets.push_back(one["codelet"].get<std::string>());
  }
  while (controls[0] > doubtful && controls.size() < 3) {
    controls.push_back(control(plain, setting, results[0]["native_s"].get<double>(), limits));
  }
  std::sort(results.begin(), results.end(),
            [](const Json& a, const Json& b) { return over_native(a, "chosen_s") < over_native(b, "chosen_s"); });
  Json middle = results[results.size() / 2];
  middle["ratios"] = ratios;
  middle["codelets"] = codelets;
  middle["control_ratios"] = controls;
  middle["control_ratio"] = middle_of(controls);
  return middle;
}

const Pattern* pattern_of(const std::string& set) {
  static const std::vector<Pattern> all = adcl::bench::collective_patterns();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Pattern& one) { return one.set == set; });
  return found == all.end() ? nullptr : &*found;
}

const Function* plain_of(const std::string& set) {
  const adcl::bench::Functions& all = adcl::bench::function_table();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Function& one) { return lower(one.name) == set; });
  return found == all.end() ? nullptr : &*found;
}

Json result_of(const std::string& name, const Limits& limits) {
  const std::size_t end = name.rfind('_');
  const Pattern* pattern = pattern_of(name.substr(0, end));
  const Function* plain = plain_of(name.substr(0, end));
  if (pattern == nullptr || plain == nullptr) {
    return {{"setting", name}, {"unknown", true}};
  }
  Setting setting;
  setting.comm = MPI_COMM_WORLD;
  MPI_Comm_rank(setting.comm, &setting.rank);
  MPI_Comm_size(setting.comm, &setting.size);
  setting.bytes = static_cast<std::size_t>(std::atoll(name.c_str() + end + 1));
  return compare_doubtful(*plain, *pattern, setting, limits);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) {
    std::fprintf(stderr, "usage: %s SEARCH_SECONDS TURNS_SECONDS LONGEST_CALL FILE SETTING...\n", argv[0]);
    return 2;
  }
  bench::allow_forced_algorithms();
  MPI_Init(&argc, &argv);
  // Without history, searches are independent.
  int code = ADCL_Init() == ADCL_SUCCESS && ADCL_Option_set("ADCL_HISTORY", "off") == ADCL_SUCCESS ? 0 : 1;
  if (code == 0) {
    const Limits limits{std::atof(argv[1]), std::atof(argv[2]), std::atof(argv[3])};
    Json results = Json::array();
    for (int i = 5; i < argc; ++i) {
      try {
        results.push_back(result_of(argv[i], limits));
      } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", argv[i], error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
      }
    }
    code = bench::write_document(argv[4], {{"results", results}}, Json::array());
  }
  ADCL_Finalize();
  MPI_Finalize();
  return code;
}
