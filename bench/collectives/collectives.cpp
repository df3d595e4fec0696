// with: collectives/forced_algorithms.cpp
// links: bench_mpi adcl_objects
// Collectives: the winner of a request compared with the MPI library's own call.
//
// For every operation and message size, a request with all codelets is started 2000 times, or fewer times if a call
// takes more than 6 ms, and then 5000 times more. The default search compares its finalists from about start 2600 to
// start 3600; a comparison in that time would measure the slower finalists, too. Then the request and the plain call
// of MPI alternate in short blocks whose first operation is not counted. A sample is the mean time of a block,
// maximum over the ranks; a ratio is the median of the ratios of neighboring blocks. The time of the first starts,
// with the search, is compared with the same number of median times of the plain call. Finally the request alternates
// with each of the library's algorithms, if they can be forced (Open MPI's component `tuned`). The plain call runs
// 500 times beforehand, so that a library that tunes itself, such as Intel's with I_MPI_TUNING_MODE=auto, has
// finished. If the winner loses more than 5 %, the setting is measured twice more, each time with another search, and
// the median counts: if a virtual machine's cores are on different processors for some seconds, all calls take two or
// three times as long, and another codelet is the best. `bench_collectives FILE bcast iallreduce_8` measures only the
// settings whose names begin with these words.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

#include "collectives/forced_algorithms.hpp"
#include "common/document.hpp"
#include "common/median.hpp"
#include "function.hpp"
#include "preselected.hpp"

namespace {

using adcl::bench::Operation;
using adcl::bench::OperationPointer;
using adcl::bench::Setting;
using bench::Json;

const int starts = bench::effort(2000, 200);
const int more_starts = bench::effort(5000, 0);
const int blocks = bench::effort(30, 3);
const int blocks_of_algorithms = bench::effort(9, 1);
const int first_calls = bench::effort(500, 20);
constexpr double most_first_s = 1.0;
constexpr double block_s = 300e-6;
constexpr double most_search_s = 12.0;  ///< time limit of the search; long messages get fewer starts
constexpr double tie = 0.02;
constexpr double doubtful = 1.05;  ///< larger ratios are measured again

struct Result {
  std::string name;
  double native_s = 0.0;
  double ratio = 1.0;        ///< the winner's time divided by the native call's
  double with_search = 1.0;  ///< the time of all starts divided by the native call's
  double worst_ratio = 1.0;  ///< the largest ratio, if measured several times
  double over_forced = 0.0;  ///< relative to the fastest forced algorithm; 0: none
};

std::string lower(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

std::string name_of(const adcl::bench::Pattern& pattern, std::size_t bytes) {
  return pattern.set + (bytes > 0 ? "_" + std::to_string(bytes) : "");
}

double block_mean(Operation& operation, int calls) {
  return bench::mean_seconds(calls, [&] { operation.run(); });
}

/// Starts the request 2000 times, or until the time limit; returns the mean seconds of a start.
double search(Operation& request, double native_s) {
  const int wanted = std::clamp(static_cast<int>(most_search_s / native_s), 200, starts);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int made = 0; made < wanted; ++made) {
    request.run();
  }
  double seconds = (MPI_Wtime() - begin) / wanted;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  for (int made = 0; made < more_starts; ++made) {
    request.run();
  }
  return seconds;
}

/// Ratio of the request's time to the time of the library's fastest algorithm; 0 if none can be forced.
double over_forced(const adcl::bench::Function& plain, const std::string& set, const Setting& setting,
                   Operation& request, int calls) {
  std::vector<bench::ForcedAlgorithm> algorithms = bench::force_algorithms(set);
  std::vector<OperationPointer> operations;
  for (const bench::ForcedAlgorithm& forced : algorithms) {
    Setting other = setting;
    other.comm = forced.comm;
    operations.push_back(plain.make(other));
  }
  std::vector<double> own_s;
  std::vector<std::vector<double>> theirs_s(operations.size());
  for (int b = 0; b < blocks_of_algorithms && !operations.empty(); ++b) {
    own_s.push_back(block_mean(request, calls));
    for (std::size_t i = 0; i < operations.size(); ++i) {
      theirs_s[i].push_back(block_mean(*operations[i], calls));
    }
  }
  double best_s = 0.0;
  for (const std::vector<double>& seconds : theirs_s) {
    const double median_s = bench::median_of(seconds).median;
    best_s = best_s == 0.0 ? median_s : std::min(best_s, median_s);
  }
  operations.clear();
  bench::free_algorithms(algorithms);
  return best_s == 0.0 ? 0.0 : bench::median_of(own_s).median / best_s;
}

Result compare(const adcl::bench::Function& plain, const adcl::bench::Pattern& pattern, const Setting& setting) {
  const OperationPointer native = plain.make(setting);
  const OperationPointer request = pattern.make(setting, pattern.set, "");
  Result result;
  result.name = name_of(pattern, setting.bytes);
  block_mean(*native, 20);
  double first_s = block_mean(*native, 20);
  block_mean(*native, std::clamp(static_cast<int>(most_first_s / first_s), 1, first_calls));
  first_s = block_mean(*native, 20);
  const double mean_s = search(*request, first_s);
  const int calls = std::clamp(static_cast<int>(block_s / first_s), 2, 2000);
  std::vector<double> native_s;
  std::vector<double> ratios;
  for (int b = 0; b < blocks; ++b) {
    double pair[2] = {0.0, 0.0};
    for (int turn = 0; turn < 2; ++turn) {
      const int which = (b + turn) % 2;
      pair[which] = block_mean(which == 0 ? *native : *request, calls);
    }
    native_s.push_back(pair[0]);
    ratios.push_back(pair[1] / pair[0]);
  }
  result.native_s = bench::median_of(native_s).median;
  result.ratio = bench::median_of(ratios).median;
  result.with_search = mean_s / result.native_s;
  result.over_forced = over_forced(plain, pattern.set, setting, *request, calls);
  if (!request->correct()) {
    std::fprintf(stderr, "%s: wrong result\n", result.name.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return result;
}

/// Result of compare(), or the median of three results if the first result shows a loss. Samples are maxima over the
/// ranks, so all ranks take the same branch.
Result compare_doubtful(const adcl::bench::Function& plain, const adcl::bench::Pattern& pattern,
                        const Setting& setting) {
  std::vector<Result> results{compare(plain, pattern, setting)};
  while (results.front().ratio > doubtful && results.size() < 3) {
    results.push_back(compare(plain, pattern, setting));
  }
  const auto by_ratio = [](const Result& a, const Result& b) { return a.ratio < b.ratio; };
  std::sort(results.begin(), results.end(), by_ratio);
  Result middle = results[results.size() / 2];
  middle.worst_ratio = results.back().ratio;
  return middle;
}

/// True if \p name begins with one of \p wanted, or if \p wanted is empty.
bool chosen(const std::string& name, const std::vector<std::string>& wanted) {
  return wanted.empty() || std::any_of(wanted.begin(), wanted.end(),
                                       [&](const std::string& beginning) { return name.starts_with(beginning); });
}

std::vector<Result> compare_all(const std::vector<std::string>& wanted) {
  Setting setting;
  setting.comm = MPI_COMM_WORLD;
  MPI_Comm_rank(setting.comm, &setting.rank);
  MPI_Comm_size(setting.comm, &setting.size);
  std::vector<Result> results;
  for (const adcl::bench::Pattern& pattern : adcl::bench::collective_patterns()) {
    for (const adcl::bench::Function& plain : adcl::bench::function_table()) {
      if (lower(plain.name) != pattern.set) {
        continue;
      }
      const std::vector<std::size_t> sizes = pattern.unit_bytes == 0
                                                 ? std::vector<std::size_t>{0}
                                                 : std::vector<std::size_t>{8, 512, 8192, 131072, 2097152};
      for (const std::size_t bytes : bench::in_form(sizes)) {
        if (!chosen(name_of(pattern, bytes), wanted)) {
          continue;
        }
        setting.bytes = bytes;
        results.push_back(compare_doubtful(plain, pattern, setting));
        if (setting.rank == 0) {
          const Result& last = results.back();
          std::printf(
              "%-32s native %10.2f us, chosen %5.2f of it, %d starts with the search %5.2f, of the best forced %5.2f\n",
              last.name.c_str(), last.native_s * 1e6, last.ratio, starts, last.with_search, last.over_forced);
          std::fflush(stdout);
        }
      }
    }
  }
  return results;
}

double share(const std::vector<Result>& results, bool (*has)(const Result&)) {
  return static_cast<double>(std::count_if(results.begin(), results.end(), has)) / static_cast<double>(results.size());
}

Json figures_of(const std::vector<Result>& results) {
  Json figures = Json::array();
  const auto add = [&](const std::string& name, double value) { figures.push_back(bench::figure(name, value)); };
  const auto mean = [](double logarithms, std::size_t number) {
    return std::exp(logarithms / static_cast<double>(number));
  };
  double logarithms = 0.0;
  double worst = 0.0;
  double logarithms_with_search = 0.0;
  double worst_with_search = 0.0;
  double worst_single = 0.0;
  for (const Result& result : results) {
    logarithms += std::log(result.ratio);
    worst = std::max(worst, result.ratio);
    logarithms_with_search += std::log(result.with_search);
    worst_with_search = std::max(worst_with_search, result.with_search);
    worst_single = std::max(worst_single, result.worst_ratio);
    add(result.name + "_over_native", result.ratio);
  }
  add("settings_faster_than_native", share(results, [](const Result& r) { return r.ratio < 1.0 - tie; }));
  add("settings_slower_than_native", share(results, [](const Result& r) { return r.ratio > 1.0 + tie; }));
  add("worst_loss_vs_native_percent", (worst - 1.0) * 100.0);
  add("worst_loss_in_one_measurement_percent", (worst_single - 1.0) * 100.0);
  add("geometric_mean_over_native", mean(logarithms, results.size()));
  std::vector<Result> forced;
  std::copy_if(results.begin(), results.end(), std::back_inserter(forced),
               [](const Result& r) { return r.over_forced > 0.0; });
  if (!forced.empty()) {
    double over_forced_logarithms = 0.0;
    for (const Result& result : forced) {
      over_forced_logarithms += std::log(result.over_forced);
    }
    add("settings_faster_than_every_algorithm",
        share(forced, [](const Result& r) { return r.over_forced < 1.0 - tie; }));
    add("settings_slower_than_best_algorithm",
        share(forced, [](const Result& r) { return r.over_forced > 1.0 + tie; }));
    add("geometric_mean_over_best_algorithm", mean(over_forced_logarithms, forced.size()));
  }
  add("geometric_mean_over_native_with_search", mean(logarithms_with_search, results.size()));
  add("settings_slower_than_native_with_search",
      share(results, [](const Result& r) { return r.with_search > 1.0 + tie; }));
  add("worst_over_native_with_search", worst_with_search);
  return figures;
}

}  // namespace

int main(int argc, char** argv) {
  if (!bench::names_a_file(argc > 1 ? 2 : argc, argv)) {
    return 2;
  }
  bench::allow_forced_algorithms();
  MPI_Init(&argc, &argv);
  // Without history, searches are independent.
  int code = ADCL_Init() == ADCL_SUCCESS && ADCL_Option_set("ADCL_HISTORY", "off") == ADCL_SUCCESS ? 0 : 1;
  if (code == 0) {
    const std::vector<Result> results = compare_all({argv + 2, argv + argc});
    const char* self_tuning = std::getenv("I_MPI_TUNING_MODE");
    const std::string mode = self_tuning == nullptr ? "" : self_tuning;
    code = bench::write_document(argv[1], {{"starts", starts}, {"blocks", blocks}, {"I_MPI_TUNING_MODE", mode}},
                                 figures_of(results));
  }
  ADCL_Finalize();
  MPI_Finalize();
  return code;
}
