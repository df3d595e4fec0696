// with: halo/several_twins.cpp
// options: -O3
// Several fields: compares the best codelet of one request for all fields with one request per field, and with
// hand-written exchanges that send all fields in one message.
//
// For every setting (neighbors, block size, number of fields) the following take turns in rounds of random order that
// is the same on all ranks: all codelets of one request; one request per field with each codelet, one after the other
// or all in flight together; and all twins. A round runs each method in a short block whose first operation is not
// counted; the sample is the mean of the rest, maximum over the ranks. The best method of each kind is selected by its
// median over the even rounds and compared, round by round, over the odd rounds, so that chance in the selection does
// not affect the ratio. The interval is the 95 % interval of a median from order statistics.
#include <ADCL.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "common/adcl_call.hpp"
#include "common/document.hpp"
#include "common/median.hpp"
#include "halo/several_settings.hpp"
#include "halo/several_twins.hpp"

namespace {

using bench::check;
using bench::half;
using bench::Json;
using bench::Setting;
using bench::world_rank;
using several_twins::Blocks;

constexpr unsigned seed = 20111026;
const int rounds = bench::effort(24, 2);
constexpr int most_calls = 12;
constexpr double block_s = 200e-6;
constexpr double hopeless = 2.5;  ///< this many times slower than the best in the first measurement

/// The arrays and the objects for their requests.
class Fields {
 public:
  explicit Fields(const Setting& setting) {
    const int periods[3] = {1, 1, 1};
    int grid[3] = {0, 0, 0};
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 3, grid);
    MPI_Cart_create(MPI_COMM_WORLD, 3, grid, periods, 0, &blocks_.cart);
    blocks_.side = setting.side;
    blocks_.diagonals = setting.neighbors > 6;
    const int dims[3] = {setting.side + 2, setting.side + 2, setting.side + 2};
    for (int f = 0; f < setting.fields; ++f) {
      void* data = nullptr;
      check(ADCL_Vector_allocate(3, dims, 0, MPI_DOUBLE, static_cast<void*>(&data), &vectors_.emplace_back()),
            "ADCL_Vector_allocate");
      blocks_.data.push_back(static_cast<double*>(data));
    }
    check(ADCL_Vmap_halo_allocate(1, &vmap_), "ADCL_Vmap_halo_allocate");
    check(blocks_.diagonals ? ADCL_Topology_create_extended(blocks_.cart, &topology_)
                            : ADCL_Topology_create(blocks_.cart, 0, &topology_),
          "ADCL_Topology_create");
  }
  ~Fields() {
    check(ADCL_Topology_free(&topology_), "ADCL_Topology_free");
    check(ADCL_Vmap_free(&vmap_), "ADCL_Vmap_free");
    for (ADCL_Vector& vector : vectors_) {
      check(ADCL_Vector_free(&vector), "ADCL_Vector_free");
    }
    MPI_Comm_free(&blocks_.cart);
  }
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;

  [[nodiscard]] const Blocks& blocks() const { return blocks_; }
  [[nodiscard]] int count() const { return static_cast<int>(vectors_.size()); }
  /// One request for \p n fields, beginning with \p first.
  [[nodiscard]] ADCL_Request request(int first, int n) const {
    const std::vector<ADCL_Vmap> vmaps(static_cast<std::size_t>(n), vmap_);
    const ADCL_Vector* vectors = vectors_.data() + first;
    ADCL_Request request = ADCL_REQUEST_NULL;
    check(ADCL_Request_create_several(n, vectors, vmaps.data(), vectors, vmaps.data(), topology_,
                                      ADCL_FNCTSET_NEIGHBORHOOD, &request),
          "ADCL_Request_create_several");
    return request;
  }
  void fill() const {
    double value = 0.25 * world_rank();
    for (double* data : blocks_.data) {
      for (std::size_t i = 0; i < points(); ++i) {
        data[i] = value += 1.0;
      }
    }
  }
  [[nodiscard]] std::vector<double> content() const {
    std::vector<double> all;
    for (const double* data : blocks_.data) {
      all.insert(all.end(), data, data + points());
    }
    return all;
  }

 private:
  [[nodiscard]] std::size_t points() const {
    const auto extent = static_cast<std::size_t>(blocks_.side) + 2;
    return extent * extent * extent;
  }

  Blocks blocks_;
  std::vector<ADCL_Vector> vectors_;
  ADCL_Vmap vmap_ = ADCL_VMAP_NULL;
  ADCL_Topology topology_ = ADCL_TOPOLOGY_NULL;
};

enum class Kind { together, separate, twin };

struct Method {
  std::string name;
  Kind kind = Kind::together;
  bool overlapped = false;             ///< all requests are in flight before the first one is waited for
  std::vector<ADCL_Request> requests;  ///< one request, or one per field
  std::unique_ptr<several_twins::Twin> twin;
  int calls = 1;
  std::vector<double> samples;  ///< seconds, one per round

  void run() const {
    if (twin != nullptr) {
      return twin->exchange();
    }
    for (ADCL_Request request : requests) {
      check(overlapped ? ADCL_Request_init(request) : ADCL_Request_start(request), "ADCL_Request_start");
    }
    for (ADCL_Request request : requests) {
      if (overlapped) {
        check(ADCL_Request_wait(request), "ADCL_Request_wait");
      }
    }
  }
  void free() {
    for (ADCL_Request& request : requests) {
      check(ADCL_Request_free(&request), "ADCL_Request_free");
    }
  }
};

/// Names of the candidates of \p request. Frees the request.
std::vector<std::string> codelets_of(ADCL_Request request) {
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

void add_separate(std::vector<Method>& methods, const Fields& fields, const std::string& codelet, bool overlapped) {
  Method method;
  method.name = codelet + (overlapped ? " in flight together" : " in turn");
  method.kind = Kind::separate;
  method.overlapped = overlapped;
  for (int f = 0; f < fields.count(); ++f) {
    method.requests.push_back(fields.request(f, 1));
  }
  if (overlapped) {
    if (ADCL_Request_init(method.requests.front()) != ADCL_SUCCESS) {
      return method.free();  // a blocking codelet
    }
    check(ADCL_Request_wait(method.requests.front()), "ADCL_Request_wait");
  }
  methods.push_back(std::move(method));
}

void preselect(const std::string& codelet) {
  check(ADCL_Option_set("ADCL_CODELETS", codelet.empty() ? "" : ("neighborhood:" + codelet).c_str()),
        "ADCL_Option_set");
}

std::vector<Method> methods_for(const Fields& fields) {
  std::vector<Method> methods;
  preselect("");
  for (const std::string& codelet : codelets_of(fields.request(0, fields.count()))) {
    preselect(codelet);
    Method& method = methods.emplace_back();
    method.name = codelet;
    method.requests = {fields.request(0, fields.count())};
  }
  preselect("");
  if (fields.count() > 1) {
    for (const std::string& codelet : codelets_of(fields.request(0, 1))) {
      preselect(codelet);
      for (const bool overlapped : {false, true}) {
        add_separate(methods, fields, codelet, overlapped);
      }
    }
  }
  for (const auto& row : several_twins::table()) {
    Method& method = methods.emplace_back();
    method.name = row.name;
    method.kind = Kind::twin;
    method.twin = row.make(fields.blocks());
  }
  return methods;
}

/// Ends the program if the result of a method differs from the result of the first method.
void require_right(const std::vector<Method>& methods, const Fields& fields) {
  fields.fill();
  methods.front().run();
  const std::vector<double> expected = fields.content();
  for (const Method& method : methods) {
    fields.fill();
    method.run();
    if (fields.content() != expected) {
      std::fprintf(stderr, "%s gives a wrong result\n", method.name.c_str());
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
}

/// Mean seconds of `calls` operations, maximum over the ranks.
double timed(const Method& method, int calls) {
  return bench::mean_seconds(calls, [&method] { method.run(); });
}

/// First measurement: determines the number of calls per block, and the methods that are too slow for the full number
/// of rounds.
void calibrate(std::vector<Method>& methods) {
  constexpr int looks = 3;
  std::vector<double> first(methods.size(), 1.0);
  for (std::size_t i = 0; i < methods.size(); ++i) {
    for (int look = 0; look < looks; ++look) {
      first[i] = std::min(first[i], timed(methods[i], 2));
    }
    methods[i].calls = std::clamp(static_cast<int>(block_s / std::max(first[i], 1e-9)), 2, most_calls);
  }
  std::array<double, 3> best{1.0, 1.0, 1.0};  // per kind
  for (std::size_t i = 0; i < methods.size(); ++i) {
    double& least = best.at(static_cast<std::size_t>(methods[i].kind));
    least = std::min(least, first[i]);
  }
  std::size_t i = 0;
  std::erase_if(methods, [&](Method& method) {
    const bool drop = first[i++] > hopeless * best.at(static_cast<std::size_t>(method.kind));
    if (drop) {
      method.free();
    }
    return drop;
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

const Method& best_of(const std::vector<Method>& methods, Kind kind) {
  const Method* best = nullptr;
  double best_s = 0.0;
  for (const Method& method : methods) {
    const double seconds = bench::median_of(half(method.samples, 0)).median;
    if (method.kind == kind && (best == nullptr || seconds < best_s)) {
      best = &method;
      best_s = seconds;
    }
  }
  return *best;
}

Json figure_of(const std::string& name, const Method& ours, const Method& other) {
  const auto ours_s = half(ours.samples, 1);
  const auto other_s = half(other.samples, 1);
  Json ratio = bench::ratio_figure(name, ours_s, other_s);
  ratio.update({{"codelet", ours.name},
                {"other", other.name},
                {"codelet_us", bench::median_of(ours_s).median * 1e6},
                {"other_us", bench::median_of(other_s).median * 1e6}});
  return ratio;
}

Json all_medians(const std::vector<Method>& methods) {
  constexpr std::array<const char*, 3> kinds{"", "separate ", "twin "};
  Json all = Json::object();
  for (const Method& method : methods) {
    all[kinds.at(static_cast<std::size_t>(method.kind)) + method.name] = bench::median_of(method.samples).median * 1e6;
  }
  return all;
}

void show(const Json& figure) {
  if (world_rank() == 0) {
    const auto words = [&](const char* key) { return figure[key].get<std::string>(); };
    std::printf("%-52s %.3f   %-22s %9.2f us   %-34s %9.2f us\n", words("name").c_str(), figure["value"].get<double>(),
                words("codelet").c_str(), figure["codelet_us"].get<double>(), words("other").c_str(),
                figure["other_us"].get<double>());
    std::fflush(stdout);
  }
}

void compare(const Setting& setting, std::mt19937& random, Json& figures, Json& medians) {
  const Fields fields(setting);
  std::vector<Method> methods = methods_for(fields);
  require_right(methods, fields);
  calibrate(methods);
  measure(methods, random);
  const Method& ours = best_of(methods, Kind::together);
  figures.push_back(figure_of("joined_over_best_twin." + setting.name(), ours, best_of(methods, Kind::twin)));
  show(figures.back());
  if (setting.fields > 1) {
    figures.push_back(figure_of("joined_over_separate." + setting.name(), ours, best_of(methods, Kind::separate)));
    show(figures.back());
  }
  medians[setting.name()] = all_medians(methods);
  for (Method& method : methods) {
    method.free();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (!bench::names_a_file(argc > 1 ? 2 : argc, argv)) {
    return 2;
  }
  MPI_Init(&argc, &argv);
  check(ADCL_Init(), "ADCL_Init");
  std::mt19937 random(seed);
  Json figures = Json::array();
  Json medians = Json::object();
  for (const Setting& setting : bench::in_form(bench::settings({argv + 2, argv + argc}), 2)) {
    compare(setting, random, figures, medians);
  }
  const Json context = {{"seed", seed}, {"rounds", rounds}, {"medians_us", medians}};
  const int code = bench::write_document(argv[1], context, figures);
  check(ADCL_Finalize(), "ADCL_Finalize");
  MPI_Finalize();
  return code;
}
