// The memory of a communicator's context, of a request, and of each codelet's plan must not grow with the number of
// ranks, if the number of neighbors and the ranks per node stay the same. Measures rings of increasing size with two
// ranks per node.
//
// memory_creation [FILE]: FILE gets a line of JSON per ring size, with bytes per rank and the time to create a request.
// In the simulator SMPI, all ranks are in one process: bytes are means over the ranks, and include MPI's own objects.
// Plans are omitted there, because they consist mostly of MPI's objects.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "codelets/sets.hpp"
#include "mpi/context.hpp"
#include "overhead/allocated.hpp"
#include "support/checks.hpp"

namespace {

using adcl::test::expect;
using adcl::test::ok;

#ifdef SMPI_H
constexpr bool simulated = true;
#else
constexpr bool simulated = false;
#endif

constexpr int ranks_per_node = 2;
constexpr int smallest_ring = simulated ? 8 : 6;  ///< three nodes: a node's neighbors are on different nodes
constexpr int requests_per_ring = simulated ? 3 : 9;
constexpr int rings_per_size = simulated ? 1 : 3;
constexpr int next_size = simulated ? 64 : 2;  ///< growth factor of the ring size

/// Allocated bytes of this process; all other ranks wait during the query. Collective over MPI_COMM_WORLD. The
/// simulator has only one process, and only one rank queries it: a query takes longer the more pieces the heap has, and
/// each of 512 ranks would wait for it.
double bytes_now() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  double bytes = simulated && rank > 0 ? 0.0 : bench::allocated_bytes();
  MPI_Barrier(MPI_COMM_WORLD);
  if (simulated) {
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Bcast(&bytes, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    bytes /= size;
  }
  return bytes;
}

/// Bytes by which \p action increases the memory of this process. Collective over MPI_COMM_WORLD.
template <typename Action>
double growth(const Action& action) {
  const double before = bytes_now();
  action();
  return bytes_now() - before;
}

/// The median excludes the occasional growth of containers that all objects share.
double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// The maximum over all ranks.
double largest(double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return value;
}

/// Divides all ranks of the program into rings of \p ranks ranks, each with its own context.
class Ring {
 public:
  explicit Ring(int ranks) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank / ranks, rank, &part);
    const int dims[] = {ranks, 1};
    const int periods[] = {1, 0};
    MPI_Cart_create(part, 2, dims, periods, 0, &comm_);
    MPI_Comm_free(&part);
    MPI_Comm_rank(comm_, &rank_);
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() { MPI_Comm_free(&comm_); }

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  void make_context() const { adcl::mpi::Context::of(comm_)->set_nodes(rank_ / ranks_per_node); }

  /// Each value of \p rows gives a different problem.
  int create(int rows, ADCL_Request* request) {
    const int dims[] = {rows, 8};
    return ADCL_Halo_init(ADCL_HALO(data_.data(), 2, dims, 0, 1, MPI_DOUBLE), comm_, request);
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  std::vector<double> data_ = std::vector<double>(std::size_t{64} * 8);
};

struct Costs {
  double duplicate_bytes = 0.0;  ///< of an MPI communicator; a context has one
  double context_bytes = 0.0;
  double request_bytes = 0.0;
  double request_s = 0.0;
  std::map<std::string, double> plan_bytes;  ///< by codelet
};

/// Excludes one-sided codelets: Open MPI 4 has windows on the communicator of all ranks only, so requests on that
/// communicator would have more candidates than others.
std::string without_one_sided() {
  std::string names;
  for (const auto& row : adcl::codelets::neighborhood().codelets) {
    for (const char* family : {"Winfence", "PostStart", "PassivePut"}) {
      if (row.name.rfind(family, 0) == 0) {
        names += (names.empty() ? "neighborhood:^" : ",") + row.name;
      }
    }
  }
  return names;
}

void measure_requests(Ring& ring, Costs& costs) {
  ok(ADCL_Option_set("ADCL_CODELETS", without_one_sided().c_str()), "ADCL_Option_set");
  std::vector<double> bytes;
  std::vector<double> seconds;
  std::vector<ADCL_Request> requests(requests_per_ring);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    double elapsed = 0.0;
    bytes.push_back(growth([&] {
      const double begin = MPI_Wtime();
      ok(ring.create(4 + static_cast<int>(i), &requests[i]), "ADCL_Halo_init");
      elapsed = MPI_Wtime() - begin;
    }));
    seconds.push_back(largest(elapsed));
  }
  costs.request_bytes = largest(median(bytes));
  costs.request_s = median(seconds);
  ok(ADCL_Option_set("ADCL_CODELETS", ""), "ADCL_Option_set");
  for (ADCL_Request& request : requests) {
    ok(ADCL_Request_free(&request), "ADCL_Request_free");
  }
}

/// The first start of a request with a preselected codelet creates its plan.
void measure_plans(Ring& ring, Costs& costs) {
  for (const auto& row : adcl::codelets::neighborhood().codelets) {
    ok(ADCL_Option_set("ADCL_CODELETS", ("neighborhood:" + row.name).c_str()), "ADCL_Option_set");
    std::vector<double> bytes;
    for (int i = 0; i < 3; ++i) {
      ADCL_Request request = ADCL_REQUEST_NULL;
      if (ring.create(32, &request) != ADCL_SUCCESS) {
        break;
      }
      bytes.push_back(growth([&] { ok(ADCL_Request_start(request), row.name.c_str()); }));
      ok(ADCL_Request_free(&request), "ADCL_Request_free");
    }
    if (!bytes.empty()) {
      costs.plan_bytes[row.name] = largest(median(bytes));
    }
  }
  ok(ADCL_Option_set("ADCL_CODELETS", ""), "ADCL_Option_set");
}

Costs costs_of(int ranks, bool plans) {
  Costs costs;
  std::vector<double> duplicates;
  std::vector<double> contexts;
  for (int i = 0; i < rings_per_size; ++i) {
    Ring ring(ranks);
    MPI_Comm duplicate = MPI_COMM_NULL;
    duplicates.push_back(growth([&] { MPI_Comm_dup(ring.comm(), &duplicate); }));
    MPI_Comm_free(&duplicate);
    contexts.push_back(growth([&] { ring.make_context(); }));
    if (i == rings_per_size - 1) {
      measure_requests(ring, costs);
      if (plans) {
        measure_plans(ring, costs);
      }
    }
  }
  costs.duplicate_bytes = largest(median(duplicates));
  costs.context_bytes = largest(median(contexts));
  return costs;
}

/// Allows some bytes for the simulator's own objects, whose number varies.
double allowed(double bytes) { return simulated ? 1.02 * bytes + 64.0 : bytes; }

void compare(int ranks, const Costs& large, const Costs& small) {
  const auto expect_same = [&](const std::string& what, double more, double less) {
    expect(more <= allowed(less), what + " takes " + std::to_string(std::lround(more)) + " bytes on " +
                                      std::to_string(ranks) + " ranks, and " + std::to_string(std::lround(less)) +
                                      " on " + std::to_string(smallest_ring));
  };
  expect_same("a request", large.request_bytes, small.request_bytes);
  if (!simulated) {
    expect_same("the context of a communicator", large.context_bytes, small.context_bytes);
    expect(small.plan_bytes.count("Node_aggregate") == 1, "Node_aggregate was not measured");
  }
  for (const auto& [codelet, bytes] : small.plan_bytes) {
    expect(large.plan_bytes.count(codelet) == 1, codelet + " is not applicable on more ranks");
    expect_same("the plan of " + codelet, large.plan_bytes.at(codelet), bytes);
  }
}

void write(const char* path, int ranks, const Costs& costs) {
  std::ofstream file(path, std::ios::app);
  file << R"({"ranks": )" << ranks << R"(, "duplicate_bytes": )" << costs.duplicate_bytes << R"(, "context_bytes": )"
       << costs.context_bytes << R"(, "request_bytes": )" << costs.request_bytes << R"(, "request_us": )"
       << costs.request_s * 1e6 << "}\n";
  expect(file.good(), std::string("cannot write to ") + path);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  ok(ADCL_Init(), "ADCL_Init");
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  costs_of(smallest_ring, false);  // creates the objects that are created only once
  const Costs small = costs_of(smallest_ring, !simulated);
  int largest_ring = smallest_ring;
  for (int ranks = next_size * smallest_ring; ranks / next_size < size; ranks *= next_size) {
    largest_ring = std::min(ranks, size);
    const Costs costs = costs_of(largest_ring, !simulated);
    compare(largest_ring, costs, small);
    if (rank == 0 && argc > 1) {
      write(argv[1], largest_ring, costs);
    }
  }
  expect(largest_ring == size && size % (2 * smallest_ring) == 0,
         std::to_string(size) + " ranks is not an even multiple of " + std::to_string(smallest_ring));
  ok(ADCL_Finalize(), "ADCL_Finalize");
  const int code = adcl::test::exit_code();
  MPI_Finalize();
  return code;
}
