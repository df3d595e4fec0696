// The best codelet of a halo exchange against the best of the exchanges that MPI programs contain.
//
// For every setting (dimensions, block size, periodic or cut along the last dimension) all codelets, each preselected
// and called through ADCL_Request_start, and all twins take turns in rounds of random order that is the same on all
// ranks. A round runs each method in a short block whose first operation is not counted; the sample is the mean of the
// rest, the largest over the ranks. The best codelet and the best twin are chosen by their medians over the even
// rounds and compared, round by round, over the odd ones: the choice cannot profit from its own luck. The interval is
// that of a median from order statistics, 95 %.
#include <ADCL.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "document.hpp"
#include "halo_twins.hpp"
#include "median.hpp"

namespace {

using bench::Interval;
using bench::Json;

constexpr unsigned seed = 20070326;
constexpr int rounds = 60;
constexpr int most_calls = 20;
constexpr double block_s = 400e-6;
constexpr double hopeless = 5.0;

void check(int code, const char* call) {
  if (code != ADCL_SUCCESS) {
    std::fprintf(stderr, "%s: %s (%s)\n", call, ADCL_Error_string(code), ADCL_Last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

struct Setting {
  int ndims;
  int side;
  bool periodic;
  [[nodiscard]] std::string name() const {
    return std::to_string(ndims) + "d_" + std::to_string(side) + (periodic ? "_periodic" : "_strided");
  }
};

/// The block and its communicator; periodic, or open and cut along the last dimension so that the face is strided.
class Grid {
 public:
  explicit Grid(const Setting& setting) {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const auto n = static_cast<std::size_t>(setting.ndims);
    std::vector<int> grid(n, setting.periodic ? 0 : 1);
    const std::vector<int> periods(n, setting.periodic ? 1 : 0);
    grid.back() = setting.periodic ? 0 : size;
    MPI_Dims_create(size, setting.ndims, grid.data());
    MPI_Cart_create(MPI_COMM_WORLD, setting.ndims, grid.data(), periods.data(), 0, &block_.cart);
    block_.dims.assign(n, setting.side + 2);
    std::size_t points = 1;
    for (const int extent : block_.dims) {
      points *= static_cast<std::size_t>(extent);
    }
    data_.resize(points);
    block_.data = data_.data();
  }
  ~Grid() { MPI_Comm_free(&block_.cart); }
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;
  [[nodiscard]] const twins::Block& block() const { return block_; }
  void fill() {
    for (std::size_t i = 0; i < data_.size(); ++i) {
      data_[i] = static_cast<double>(i) + 0.25 * world_rank();
    }
  }
  [[nodiscard]] const std::vector<double>& data() const { return data_; }

 private:
  twins::Block block_;
  std::vector<double> data_;
};

struct Method {
  std::string name;
  bool codelet = false;
  ADCL_Request request = ADCL_REQUEST_NULL;
  std::unique_ptr<twins::Twin> twin;
  int calls = 1;
  std::vector<double> samples;  ///< seconds, one per round

  void run() const {
    if (codelet) {
      check(ADCL_Request_start(request), "ADCL_Request_start");
    } else {
      twin->exchange();
    }
  }
};

ADCL_Request halo_request(const twins::Block& block) {
  ADCL_Request request = ADCL_REQUEST_NULL;
  check(ADCL_Halo_init(block.data, static_cast<int>(block.dims.size()), block.dims.data(), 0, 1, MPI_DOUBLE, block.cart,
                       &request),
        "ADCL_Halo_init");
  return request;
}

std::vector<std::string> applicable_codelets(const twins::Block& block) {
  check(ADCL_Option_set("ADCL_CODELETS", ""), "ADCL_Option_set");
  ADCL_Request request = halo_request(block);
  int count = 0;
  check(ADCL_Request_get_functions_num(request, &count), "ADCL_Request_get_functions_num");
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) {
    char name[ADCL_MAX_NAME];
    check(ADCL_Request_get_statistics(request, i, name, sizeof name, nullptr, nullptr, nullptr, nullptr),
          "ADCL_Request_get_statistics");
    names.emplace_back(name);
  }
  check(ADCL_Request_free(&request), "ADCL_Request_free");
  return names;
}

std::vector<Method> methods_for(const twins::Block& block) {
  std::vector<Method> methods;
  for (const std::string& name : applicable_codelets(block)) {
    check(ADCL_Option_set("ADCL_CODELETS", ("neighborhood:" + name).c_str()), "ADCL_Option_set");
    Method& method = methods.emplace_back();
    method.name = name;
    method.codelet = true;
    method.request = halo_request(block);
  }
  for (const auto& row : twins::table()) {
    Method& method = methods.emplace_back();
    method.name = row.name;
    method.twin = row.make(block);
  }
  return methods;
}

/// Removes methods whose result differs from the first codelet's (some MPI libraries exchange the two sides of a
/// periodic dimension of two processes in their neighbourhood collectives); their names are returned.
std::vector<std::string> remove_wrong(std::vector<Method>& methods, Grid& grid) {
  grid.fill();
  methods.front().run();
  const std::vector<double> expected = grid.data();
  std::vector<std::string> wrong;
  std::erase_if(methods, [&](Method& method) {
    grid.fill();
    method.run();
    int differs = grid.data() == expected ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &differs, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (differs != 0) {
      wrong.push_back(method.name);
      if (method.codelet) {
        std::fprintf(stderr, "codelet %s gives a wrong result\n", method.name.c_str());
        MPI_Abort(MPI_COMM_WORLD, 1);
      }
    }
    return differs != 0;
  });
  return wrong;
}

/// Mean seconds of `calls` operations, the largest over the ranks.
double timed(const Method& method, int calls) {
  MPI_Barrier(MPI_COMM_WORLD);
  method.run();
  const double begin = MPI_Wtime();
  for (int i = 0; i < calls; ++i) {
    method.run();
  }
  double seconds = (MPI_Wtime() - begin) / calls;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// A first look: how many calls fill a block, and which methods are too slow to be worth the full number of rounds.
void calibrate(std::vector<Method>& methods) {
  std::vector<double> first;
  for (Method& method : methods) {
    std::vector<double> looks;
    for (int look = 0; look < 5; ++look) {
      looks.push_back(timed(method, 2));
    }
    first.push_back(median(looks));
    method.calls = std::clamp(static_cast<int>(block_s / std::max(first.back(), 1e-9)), 2, most_calls);
  }
  const double best = *std::min_element(first.begin(), first.end());
  std::size_t i = 0;
  std::erase_if(methods, [&](Method& method) {
    const bool keep = !method.codelet || first[i] <= hopeless * best;
    ++i;
    if (!keep) {
      check(ADCL_Request_free(&method.request), "ADCL_Request_free");
    }
    return !keep;
  });
}

void measure(std::vector<Method>& methods, std::mt19937& random) {
  std::vector<std::size_t> order(methods.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (int round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      methods[i].samples.push_back(timed(methods[i], methods[i].calls));
    }
  }
}

std::vector<double> half(const std::vector<double>& samples, std::size_t parity) {
  std::vector<double> chosen;
  for (std::size_t i = parity; i < samples.size(); i += 2) {
    chosen.push_back(samples[i]);
  }
  return chosen;
}

const Method& best_of(const std::vector<Method>& methods, bool codelet) {
  const Method* best = nullptr;
  double best_s = 0.0;
  for (const Method& method : methods) {
    if (method.codelet == codelet) {
      const double seconds = median(half(method.samples, 0));
      if (best == nullptr || seconds < best_s) {
        best = &method;
        best_s = seconds;
      }
    }
  }
  return *best;
}

Json figure_of(const Setting& setting, const std::vector<Method>& methods) {
  const Method& codelet = best_of(methods, true);
  const Method& twin = best_of(methods, false);
  const auto codelet_s = half(codelet.samples, 1);
  const auto twin_s = half(twin.samples, 1);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < codelet_s.size(); ++i) {
    ratios.push_back(codelet_s[i] / twin_s[i]);
  }
  const Interval ratio = bench::median_of(ratios);
  return {{"name", "best_codelet_over_best_twin." + setting.name()},
          {"value", ratio.median},
          {"unit", "ratio"},
          {"target", 1},
          {"interval", {ratio.low, ratio.high}},
          {"codelet", codelet.name},
          {"twin", twin.name},
          {"codelet_us", median(codelet_s) * 1e6},
          {"twin_us", median(twin_s) * 1e6}};
}

Json all_medians(const std::vector<Method>& methods) {
  Json all = Json::object();
  for (const Method& method : methods) {
    all[(method.codelet ? "" : "twin ") + method.name] = median(method.samples) * 1e6;
  }
  return all;
}

std::vector<Setting> settings() {
  std::vector<Setting> list;
  for (const int ndims : {2, 3}) {
    for (const int side : {4, 16, 64, 256}) {
      list.push_back({ndims, side, true});
      list.push_back({ndims, side, false});
    }
  }
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  if (!bench::names_a_file(argc, argv)) {
    return 2;
  }
  MPI_Init(&argc, &argv);
  check(ADCL_Init(), "ADCL_Init");
  std::mt19937 random(seed);
  Json figures = Json::array();
  Json medians = Json::object();
  Json wrong = Json::object();
  for (const Setting& setting : settings()) {
    Grid grid(setting);
    std::vector<Method> methods = methods_for(grid.block());
    const auto excluded = remove_wrong(methods, grid);
    if (!excluded.empty()) {
      wrong[setting.name()] = excluded;
    }
    calibrate(methods);
    measure(methods, random);
    figures.push_back(figure_of(setting, methods));
    medians[setting.name()] = all_medians(methods);
    if (world_rank() == 0) {
      const Json& figure = figures.back();
      std::printf("%-16s %-22s %10.2f us   %-10s %10.2f us   ratio %.3f\n", setting.name().c_str(),
                  figure["codelet"].get<std::string>().c_str(), figure["codelet_us"].get<double>(),
                  figure["twin"].get<std::string>().c_str(), figure["twin_us"].get<double>(),
                  figure["value"].get<double>());
      std::fflush(stdout);
    }
    for (Method& method : methods) {
      if (method.codelet) {
        check(ADCL_Request_free(&method.request), "ADCL_Request_free");
      }
    }
  }
  const Json context = {
      {"seed", seed}, {"rounds", rounds}, {"medians_us", medians}, {"twins_with_wrong_results", wrong}};
  const int code = bench::write_document(argv[1], context, figures);
  check(ADCL_Finalize(), "ADCL_Finalize");
  MPI_Finalize();
  return code;
}
