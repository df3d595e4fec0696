// with: common/recording.cpp
// links: bench_mpi adcl_objects
// Records tables of the times of all codelets of the neighborhood in real exchanges, for replays of searches.
//
// For each setting every codelet has several requests in which it is preselected, because the time of an exchange
// depends on the addresses of its plan's memory. All recorded times are maxima over the ranks: the median of the first
// starts, which make the plan and include one-time work of the MPI library; and, in rounds of random order that is the
// same on all ranks, the first execution after the other codelets and the executions that follow. FILE can be stored as
// data/recorded/codelets/LIBRARY-MACHINE.json, or for a network as data/recorded/network/NAME.json with one plan and
// more rounds (--plans=1 --rounds=24); bench_search reads these. Usage: bench_codelets FILE [--plans=N] [--rounds=N]
// [SETTING...].
#include <ADCL.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "codelets/sets.hpp"
#include "common/document.hpp"
#include "common/recording.hpp"
#include "preselected.hpp"

namespace {

using bench::check;
using bench::Json;
using bench::Recorded;

/// A halo exchange to record.
struct Setting {
  int ndims = 3;
  int side = 16;         ///< interior points of a rank in each dimension
  bool strided = false;  ///< divided along the dimension in which neighboring points are contiguous
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

/// The arrays and the handles for their requests.
class Exchange {
 public:
  explicit Exchange(const Setting& setting) {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const auto ndims = static_cast<std::size_t>(setting.ndims);
    std::vector<int> processes(ndims, 1);
    // All ranks along one dimension: in C order the first dimension has contiguous faces, the last dimension strided
    // faces.
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

/// Several plans of each codelet. All plans are alive at the same time, so that no plan reuses the memory of another
/// plan.
struct Plans {
  std::vector<ADCL_Request> requests;
  std::vector<Recorded> all;

  Plans(const Exchange& exchange, int plans) {
    for (const adcl::Codelet& codelet : adcl::codelets::neighborhood().codelets) {
      try {
        for (int plan = 0; plan < plans; ++plan) {
          const ADCL_Request request = adcl::bench::preselected(
              "neighborhood", codelet.name, [&](ADCL_Request* made) { return exchange.make(made); });
          requests.push_back(request);
          all.push_back({codelet.name, [request] { return ADCL_Request_start(request); }});
        }
      } catch (const adcl::bench::NotApplicable&) {
        continue;
      }
    }
  }
  Plans(const Plans&) = delete;
  Plans& operator=(const Plans&) = delete;
  ~Plans() {
    for (ADCL_Request& request : requests) {
      ADCL_Request_free(&request);
    }
  }
};

Json record(const Setting& setting, const bench::Effort& effort) {
  const Exchange exchange(setting);
  Plans plans(exchange, effort.plans);
  return {{"name", setting.name()},       {"dimensions", setting.ndims},
          {"side", setting.side},         {"strided", setting.strided},
          {"periodic", setting.periodic}, {"corners", setting.corners},
          {"fields", setting.fields},     {"codelets", bench::record(plans.all, effort)}};
}

int run(int argc, char** argv) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<std::string> names;
  const bench::Effort effort = bench::effort_of(argc, argv, names);
  Json tables = Json::array();
  for (const Setting& setting : bench::in_form(settings())) {
    const bool wanted = names.empty() || std::find(names.begin(), names.end(), setting.name()) != names.end();
    if (wanted) {
      if (rank == 0) {
        std::fprintf(stderr, "%s\n", setting.name().c_str());
      }
      tables.push_back(record(setting, effort));
    }
  }
  return bench::write_tables(argv[1], tables);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') {
    std::fprintf(stderr,
                 "usage: %s FILE [--plans=N] [--rounds=N] [SETTING...]   (the tables are written to FILE as JSON)\n",
                 argv[0]);
    return 2;
  }
  MPI_Init(&argc, &argv);
  check(ADCL_Init(), "ADCL_Init");
  const int code = run(argc, argv);
  ADCL_Finalize();
  MPI_Finalize();
  return code;
}
