// with: overhead/creation_local.cpp overhead/allocated.cpp
// links: adcl_objects
// Measures the cost of creating requests, and its growth with the number of ranks, of requests, and of neighbors.
//
// Ranks: the local work of a process between the collective calls of a creation, for simulated machines of 10^3 to 10^6
// ranks, 64 per node; blocks of calls for the different machines take turns. Requests: the time of ADCL_Halo_init and
// ADCL_Request_free for the 1st, 10th, 100th and 1000th different problem on one communicator, and of the first request
// on the 1st, 10th and 100th communicator, all of which stay alive; each is the maximum over two ranks, which start
// together. Neighbors: bytes from operator new per request of a graph in which each of two ranks is the other one's
// neighbor several times.
#include <ADCL.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/adcl_call.hpp"
#include "common/document.hpp"
#include "common/median.hpp"
#include "overhead/allocated.hpp"
#include "overhead/creation_local.hpp"

namespace {

using bench::check;
using bench::figure;
using bench::Interval;
using bench::Json;
using bench::median_of;

constexpr std::array sides = {10, 22, 46, 100};  ///< edges of cubes of 10^3, 10^4, 10^5 and 10^6 ranks
const int blocks = bench::effort(401, 5);
constexpr int calls_per_block = 10;
constexpr int problems = 1000;
const int rounds = bench::effort(21, 1);
constexpr int communicators = 100;
constexpr std::array counts = {1, 10, 100, 1000};
constexpr std::array neighbors = {2, 8, 32, 128};
constexpr int requests_per_count = 16;

/// Times of several methods that take turns, in microseconds; maxima over the ranks.
class Times {
 public:
  /// Collective: the ranks begin together.
  template <typename Call>
  void take(int thing, const Call& call) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    call();
    const double own = (MPI_Wtime() - begin) * 1e6;
    double longest = 0.0;
    MPI_Allreduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    samples_[thing].push_back(longest);
  }
  [[nodiscard]] double median(int thing) const { return median_of(samples_.at(thing)).median; }
  /// Ratio of two methods, sample by sample.
  [[nodiscard]] Interval ratio(int of, int to) const {
    return median_of(bench::ratios(samples_.at(of), samples_.at(to)));
  }
  [[nodiscard]] Json medians() const {
    Json all;
    for (const auto& [thing, samples] : samples_) {
      all[std::to_string(thing)] = median_of(samples).median;
    }
    return all;
  }

 private:
  std::map<int, std::vector<double>> samples_;
};

/// Microseconds per call, by the number of ranks.
Times local_parts() {
  const adcl::mpi::Element element(MPI_DOUBLE, 0);
  std::vector<std::unique_ptr<creation::Local>> machines;
  for (const int side : sides) {
    machines.push_back(std::make_unique<creation::Local>(side, element));
  }
  volatile std::uint64_t sink = 0;
  Times times;
  for (int block = 0; block < blocks; ++block) {
    for (std::size_t m = 0; m < machines.size(); ++m) {
      times.take(sides[m] * sides[m] * sides[m], [&] {
        for (int call = 0; call < calls_per_block; ++call) {
          sink = sink + machines[m]->prepare();
        }
      });
    }
  }
  return times;
}

MPI_Comm new_grid() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int dims[2] = {size, 1};
  const int periods[2] = {1, 1};
  MPI_Comm grid = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  return grid;
}

/// Requests are created and freed, and never started.
ADCL_Request new_request(MPI_Comm grid, int points) {
  static double data = 0.0;
  const int dims[2] = {points, 8};
  ADCL_Request request = ADCL_REQUEST_NULL;
  check(ADCL_Halo_init(ADCL_HALO(&data, 2, dims, 0, 1, MPI_DOUBLE), grid, &request), "ADCL_Halo_init");
  return request;
}

struct CreationTimes {
  Times creating;  ///< by the number of different problems, including this problem
  Times freeing;
  Times again;  ///< creation of the first problem once more with that number of problems
};

CreationTimes different_problems() {
  CreationTimes times;
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm grid = new_grid();
    ADCL_Request first = new_request(grid, 4);  // creates the context of the communicator
    std::vector<ADCL_Request> requests;
    for (int n = 1; n <= problems; ++n) {
      const auto create = [&] { requests.push_back(new_request(grid, 8 + n)); };
      if (std::find(counts.begin(), counts.end(), n) != counts.end()) {
        ADCL_Request same = ADCL_REQUEST_NULL;
        times.creating.take(n, create);
        times.again.take(n, [&] { same = new_request(grid, 4); });
        check(ADCL_Request_free(&same), "ADCL_Request_free");
      } else {
        create();
      }
    }
    for (int n = problems; n >= 1; --n) {
      const auto free = [&] { check(ADCL_Request_free(&requests[static_cast<std::size_t>(n - 1)]), "free"); };
      if (std::find(counts.begin(), counts.end(), n) != counts.end()) {
        times.freeing.take(n, free);
      } else {
        free();
      }
    }
    check(ADCL_Request_free(&first), "ADCL_Request_free");
    MPI_Comm_free(&grid);
  }
  return times;
}

/// Time to create the first request of a communicator, by the number of communicators with a request.
Times many_communicators() {
  Times times;
  for (int round = 0; round < rounds; ++round) {
    std::vector<MPI_Comm> grids;
    std::vector<ADCL_Request> requests;
    for (int n = 1; n <= communicators; ++n) {
      grids.push_back(new_grid());
      times.take(n, [&] { requests.push_back(new_request(grids.back(), 4)); });
    }
    for (std::size_t i = 0; i < grids.size(); ++i) {
      check(ADCL_Request_free(&requests[i]), "ADCL_Request_free");
      MPI_Comm_free(&grids[i]);
    }
  }
  return times;
}

/// Bytes of a request with \p degree neighbors, each of which is the other rank.
double bytes_with(int degree) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto n = static_cast<std::size_t>(degree);
  const std::vector<int> after(n, (rank + 1) % size);
  const std::vector<int> before(n, (rank + size - 1) % size);
  const std::vector<int> ones(n, 1);
  std::vector<int> sent(n, 0);
  std::vector<int> received;
  for (int i = 0; i < degree; ++i) {
    received.push_back(1 + i);
  }
  MPI_Comm graph = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, before.data(), ones.data(), degree, after.data(), ones.data(),
                                 MPI_INFO_NULL, 0, &graph);
  ADCL_Topology topology = ADCL_TOPOLOGY_NULL;
  ADCL_Vmap vmap = ADCL_VMAP_NULL;
  check(ADCL_Topology_create(graph, 0, &topology), "ADCL_Topology_create");
  check(ADCL_Vmap_graph_allocate(degree, ones.data(), sent.data(), degree, ones.data(), received.data(), &vmap),
        "ADCL_Vmap_graph_allocate");
  std::vector<double> data(n + 2 + requests_per_count);
  std::vector<ADCL_Vector> vectors(requests_per_count + 1);
  std::vector<ADCL_Request> requests(vectors.size());
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const int points = degree + 1 + static_cast<int>(i);
    check(ADCL_Vector_register(1, &points, 0, MPI_DOUBLE, data.data(), &vectors[i]), "ADCL_Vector_register");
  }
  double before_bytes = 0.0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    before_bytes = i == 1 ? bench::allocated_bytes() : before_bytes;  // the first request warms up
    check(ADCL_Request_create(vectors[i], vmap, topology, ADCL_FNCTSET_NEIGHBORHOOD, &requests[i]),
          "ADCL_Request_create");
  }
  const double bytes = (bench::allocated_bytes() - before_bytes) / requests_per_count;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    check(ADCL_Request_free(&requests[i]), "ADCL_Request_free");
    check(ADCL_Vector_deregister(&vectors[i]), "ADCL_Vector_deregister");
  }
  check(ADCL_Vmap_free(&vmap), "ADCL_Vmap_free");
  check(ADCL_Topology_free(&topology), "ADCL_Topology_free");
  MPI_Comm_free(&graph);
  return bytes;
}

/// Collective. Returns the exit code.
int run(const char* path) {
  const Times local = local_parts();
  const CreationTimes times = different_problems();
  const Times first_of = many_communicators();
  Json bytes;
  std::map<int, double> bytes_of;
  for (const int degree : neighbors) {
    bytes_of[degree] = bytes_with(degree);
    bytes[std::to_string(degree)] = bytes_of[degree];
  }
  const auto ranks_of = [](int side) { return side * side * side; };
  Json local_us;
  for (const int side : sides) {
    local_us[std::to_string(ranks_of(side))] = local.median(ranks_of(side)) / calls_per_block;
  }
  const Json context = {{"local_us_by_ranks", local_us},
                        {"ranks_per_node", creation::ranks_per_node},
                        {"creation_us_by_problems", times.creating.medians()},
                        {"creation_of_a_known_problem_us_by_problems", times.again.medians()},
                        {"freeing_us_by_problems", times.freeing.medians()},
                        {"first_creation_us_by_communicators",
                         {{"1", first_of.median(1)}, {"10", first_of.median(10)}, {"100", first_of.median(100)}}},
                        {"request_bytes_by_neighbors", bytes}};
  const int few = neighbors.front();
  const int many = neighbors.back();
  Json figures = Json::array();
  figures.push_back(
      figure("local_time_1000000_ranks_over_1000", local.ratio(ranks_of(sides.back()), ranks_of(sides[0]))));
  figures.push_back(figure("local_time_1000000_ranks", local.median(ranks_of(sides.back())) / calls_per_block));
  figures.push_back(figure("creation_1000th_problem_over_10th", times.creating.ratio(1000, 10)));
  figures.push_back(figure("creation_known_problem_among_1000_over_10", times.again.ratio(1000, 10)));
  figures.push_back(figure("freeing_1000th_problem_over_10th", times.freeing.ratio(1000, 10)));
  figures.push_back(figure("creation_100th_communicator_over_10th", first_of.ratio(100, 10)));
  figures.push_back(figure("creation", times.creating.median(1000)));
  figures.push_back(figure("request_bytes_per_neighbor", (bytes_of[many] - bytes_of[few]) / (many - few)));
  figures.push_back(figure("request_bytes_2_neighbors", bytes_of[few]));
  return bench::write_document(path, context, figures);
}

}  // namespace

int main(int argc, char** argv) {
  if (!bench::names_a_file(argc, argv)) {
    return 2;
  }
  MPI_Init(&argc, &argv);
  check(ADCL_Init(), "ADCL_Init");
  const int code = run(argv[1]);
  check(ADCL_Finalize(), "ADCL_Finalize");
  MPI_Finalize();
  return code;
}
