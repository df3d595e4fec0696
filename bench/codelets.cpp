// Tables of what every codelet of the neighbourhood takes on real exchanges, for searches to be replayed on.
//
// For each setting every codelet has requests of its own, in which it is preselected: several, since how fast an
// exchange is depends on where its plan's memory lies. Recorded are, as the largest over the ranks: their first starts,
// which make the plan and whatever the MPI library does once (the median); and in rounds of random order, the same on
// all ranks, the first execution after the other codelets and those that follow it. FILE can be kept as
// bench/codelet_tables/LIBRARY-MACHINE.json, or of a network as bench/network_tables/NAME.json with one plan and more
// rounds (--plans=1 --rounds=24), which bench_search reads; usage: bench_codelets FILE [--plans=N] [--rounds=N]
// [SETTING...].
#include <ADCL.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "codelets/sets.hpp"
#include "document.hpp"
#include "median.hpp"
#include "preselected.hpp"

namespace {

using bench::Json;

constexpr unsigned seed = 20031105;
constexpr int usual_plans = 3;
constexpr int usual_rounds = 4;
constexpr int following = 4;          ///< executions of a block after the first one
constexpr double hopeless_s = 20e-3;  ///< a codelet whose second execution takes longer runs in two rounds only

/// What is exchanged.
struct Setting {
  int ndims = 3;
  int side = 16;         ///< interior points of a rank in each dimension
  bool strided = false;  ///< cut along the dimension in which neighbouring points lie side by side
  bool periodic = true;
  bool corners = false;  ///< edges and corners too
  int fields = 1;

  [[nodiscard]] std::string name() const {
    return std::to_string(ndims) + "d_" + std::to_string(side) + (strided ? "_strided" : "") +
           (periodic ? "" : "_walls") + (corners ? "_corners" : "") +
           (fields > 1 ? "_" + std::to_string(fields) + "_fields" : "");
  }
};

std::vector<Setting> settings() {
  std::vector<Setting> list;
  for (const bool strided : {false, true}) {
    for (const int side : {8, 16, 32, 64, 128}) {
      list.push_back({.side = side, .strided = strided});
    }
    for (const int side : {16, 128, 512}) {
      list.push_back({.ndims = 2, .side = side, .strided = strided});
    }
    for (const int side : {16, 64}) {
      list.push_back({.side = side, .strided = strided, .periodic = false});
    }
  }
  for (const int side : {4, 8, 16, 32, 64}) {
    list.push_back({.side = side, .corners = true});
  }
  for (const int fields : {3, 7, 18}) {
    for (const int side : {4, 16, 48}) {
      list.push_back({.side = side, .fields = fields});
    }
    list.push_back({.side = 8, .corners = true, .fields = fields});
  }
  return list;
}

void check(int code, const char* call) {
  if (code != ADCL_SUCCESS) {
    std::fprintf(stderr, "%s: %s (%s)\n", call, ADCL_Error_string(code), ADCL_Last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

/// The arrays, and the handles that requests for them are made of.
class Exchange {
 public:
  explicit Exchange(const Setting& setting) {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const auto ndims = static_cast<std::size_t>(setting.ndims);
    std::vector<int> processes(ndims, 1);
    // All ranks along one dimension: the first of C storage has contiguous faces, the last one strided ones.
    processes[setting.strided ? ndims - 1 : 0] = size;
    const std::vector<int> periods(ndims, setting.periodic ? 1 : 0);
    MPI_Cart_create(MPI_COMM_WORLD, setting.ndims, processes.data(), periods.data(), 0, &cart_);
    const std::vector<int> extents(ndims, setting.side + 2);
    std::size_t points = 1;
    for (const int extent : extents) {
      points *= static_cast<std::size_t>(extent);
    }
    data_.assign(static_cast<std::size_t>(setting.fields), std::vector<double>(points, 1.0));
    for (std::vector<double>& field : data_) {
      ADCL_Vector vector = ADCL_VECTOR_NULL;
      check(ADCL_Vector_register(setting.ndims, extents.data(), 1, MPI_DOUBLE, field.data(), &vector),
            "ADCL_Vector_register");
      vectors_.push_back(vector);
    }
    check(ADCL_Vmap_halo_allocate(1, &vmap_), "ADCL_Vmap_halo_allocate");
    check(
        setting.corners ? ADCL_Topology_create_extended(cart_, &topology_) : ADCL_Topology_create(cart_, 0, &topology_),
        "ADCL_Topology_create");
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange() {
    ADCL_Topology_free(&topology_);
    ADCL_Vmap_free(&vmap_);
    for (ADCL_Vector& vector : vectors_) {
      ADCL_Vector_deregister(&vector);
    }
    MPI_Comm_free(&cart_);
  }
  int make(ADCL_Request* request) const {
    if (vectors_.size() == 1) {
      return ADCL_Request_create(vectors_.front(), vmap_, topology_, ADCL_FNCTSET_NEIGHBORHOOD, request);
    }
    const std::vector<ADCL_Vmap> vmaps(vectors_.size(), vmap_);
    return ADCL_Request_create_several(static_cast<int>(vectors_.size()), vectors_.data(), vmaps.data(),
                                       vectors_.data(), vmaps.data(), topology_, ADCL_FNCTSET_NEIGHBORHOOD, request);
  }

 private:
  MPI_Comm cart_ = MPI_COMM_NULL;
  std::vector<std::vector<double>> data_;
  std::vector<ADCL_Vector> vectors_;
  ADCL_Vmap vmap_ = ADCL_VMAP_NULL;
  ADCL_Topology topology_ = ADCL_TOPOLOGY_NULL;
};

/// What is recorded of a plan of a codelet, in seconds.
struct Recorded {
  std::string name;
  ADCL_Request request = ADCL_REQUEST_NULL;
  bool possible = true;  ///< its plan could be made
  double first_s = 0.0;
  std::vector<double> switches;
  std::vector<double> samples;
};

/// Seconds of each of \p count starts, the largest over the ranks. Collective.
std::vector<double> timed(ADCL_Request request, int count) {
  std::vector<double> seconds;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) {
    const double begin = MPI_Wtime();
    const int code = ADCL_Request_start(request);
    seconds.push_back(MPI_Wtime() - begin);
    check(code, "ADCL_Request_start");
  }
  MPI_Allreduce(MPI_IN_PLACE, seconds.data(), count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

/// Seconds of the first start, the largest over the ranks; nothing where the plan cannot be made. Collective.
std::optional<double> first_start(ADCL_Request request) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  const int code = ADCL_Request_start(request);
  double seconds = MPI_Wtime() - begin;
  if (code == ADCL_ERR_NO_CODELET) {
    return std::nullopt;
  }
  check(code, "ADCL_Request_start");
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

/// All are alive at the same time, so that no plan gets the memory that another one has left. Those of a codelet follow
/// each other.
std::vector<Recorded> requests_for(const Exchange& exchange, int plans) {
  std::vector<Recorded> all;
  for (const adcl::Codelet& codelet : adcl::codelets::neighborhood().codelets) {
    try {
      for (int plan = 0; plan < plans; ++plan) {
        Recorded recorded;
        recorded.name = codelet.name;
        recorded.request = adcl::bench::preselected("neighborhood", codelet.name,
                                                    [&](ADCL_Request* request) { return exchange.make(request); });
        all.push_back(std::move(recorded));
      }
    } catch (const adcl::bench::NotApplicable&) {
      continue;
    }
  }
  return all;
}

/// How long the fastest codelet takes of the time of the first of the table: the geometric mean over the settings.
Json figures_of(const Json& settings) {
  double sum = 0.0;
  for (const Json& setting : settings) {
    const auto median_us = [](const Json& codelet) {
      return bench::median_of(codelet.at("samples_us").get<std::vector<double>>()).median;
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
  return Json::array({{{"name", "best_over_first"}, {"value", mean}, {"unit", "ratio"}, {"target", nullptr}}});
}

/// A number with four digits.
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

/// How often everything is measured.
struct Effort {
  int plans = usual_plans;
  int rounds = usual_rounds;
};

/// What the plans of a codelet took, together; null where none could be made.
Json together(const std::vector<Recorded>& plans) {
  std::vector<double> firsts;
  std::vector<double> switches;
  std::vector<double> samples;
  for (const Recorded& plan : plans) {
    if (plan.possible) {
      firsts.push_back(plan.first_s);
      switches.insert(switches.end(), plan.switches.begin(), plan.switches.end());
      samples.insert(samples.end(), plan.samples.begin(), plan.samples.end());
    }
  }
  if (firsts.empty()) {
    return nullptr;
  }
  return {{"first_us", rounded(bench::median_of(firsts).median * 1e6)},
          {"switch_us", rounded(bench::median_of(switches).median * 1e6)},
          {"samples_us", microseconds(samples)}};
}

Json record(const Setting& setting, const Effort& effort) {
  const Exchange exchange(setting);
  std::vector<Recorded> all = requests_for(exchange, effort.plans);
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 engine(seed);
  std::shuffle(order.begin(), order.end(), engine);
  for (const std::size_t i : order) {
    const auto seconds = first_start(all[i].request);
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
      const std::vector<double> block = timed(plan.request, 1 + following);
      plan.switches.push_back(block.front());
      plan.samples.insert(plan.samples.end(), block.begin() + 1, block.end());
    }
  }
  Json codelets = Json::object();
  const auto count = static_cast<std::size_t>(effort.plans);
  for (std::size_t begin = 0; begin < all.size(); begin += count) {
    std::vector<Recorded> plans(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                all.begin() + static_cast<std::ptrdiff_t>(begin + count));
    for (Recorded& plan : plans) {
      check(ADCL_Request_free(&plan.request), "ADCL_Request_free");
    }
    if (Json numbers = together(plans); !numbers.is_null()) {
      codelets[plans.front().name] = std::move(numbers);
    }
  }
  return {{"name", setting.name()},     {"dimensions", setting.ndims},    {"side", setting.side},
          {"strided", setting.strided}, {"periodic", setting.periodic},   {"corners", setting.corners},
          {"fields", setting.fields},   {"codelets", std::move(codelets)}};
}

/// One line for each codelet.
std::string lines_of(const Json& document) {
  std::string text = "{\"context\": " + document["context"].dump() + ",\n \"figures\": " + document["figures"].dump() +
                     ",\n \"settings\": [\n";
  const char* between = "";
  for (const Json& setting : document["settings"]) {
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

/// The options of the command line; \p next is where the names of settings begin.
Effort effort_of(int argc, char** argv, int& next) {
  Effort effort;
  for (next = 2; next < argc && argv[next][0] == '-'; ++next) {
    const std::string word = argv[next];
    const std::size_t value = word.find('=') + 1;
    if (word.starts_with("--plans=")) {
      effort.plans = std::max(1, std::atoi(word.c_str() + value));
    } else if (word.starts_with("--rounds=")) {
      effort.rounds = std::max(2, std::atoi(word.c_str() + value));
    } else {
      std::fprintf(stderr, "%s is not an option; --plans=N and --rounds=N are\n", word.c_str());
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
  }
  return effort;
}

int run(int argc, char** argv) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(version, &length);
  const std::string library = version;
  Json document = {{"context", {{"ranks", size}, {"mpi_library", library.substr(0, library.find_first_of(",\n"))}}}};
  document["settings"] = Json::array();
  int next = 0;
  const Effort effort = effort_of(argc, argv, next);
  const std::vector<std::string> names(argv + next, argv + argc);
  for (const Setting& setting : settings()) {
    const bool wanted = names.empty() || std::find(names.begin(), names.end(), setting.name()) != names.end();
    if (wanted) {
      if (rank == 0) {
        std::fprintf(stderr, "%s\n", setting.name().c_str());
      }
      document["settings"].push_back(record(setting, effort));
    }
  }
  document["figures"] = figures_of(document["settings"]);
  int code = 0;
  if (rank == 0) {
    std::ofstream file(argv[1]);
    file << lines_of(document) << std::flush;
    code = file.good() ? 0 : 1;
  }
  MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') {
    std::fprintf(stderr, "usage: %s FILE [--plans=N] [--rounds=N] [SETTING...]   (the tables are written to FILE as JSON)\n", argv[0]);
    return 2;
  }
  MPI_Init(&argc, &argv);
  check(ADCL_Init(), "ADCL_Init");
  const int code = run(argc, argv);
  ADCL_Finalize();
  MPI_Finalize();
  return code;
}
