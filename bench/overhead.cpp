// What ADCL adds to a codelet in production: nanoseconds per ADCL_Request_start, and bytes per request.
//
// Time: a user-defined codelet that does nothing is called through ADCL_Request_start and directly, in alternating
// blocks on one process after the other; the figure is the median over the blocks of the difference per call, with the
// 95 % confidence interval of a median from order statistics. Memory: what malloc hands out grows by, per request of a
// three-dimensional halo exchange that has searched for itself and found its winner, less what the winner's plan takes:
// the growth at the first start of further requests that are preselected to the winner.
#include <ADCL.h>
#include <malloc.h>

#include <cstdio>
#include <string>
#include <vector>

#include "document.hpp"
#include "median.hpp"

namespace {

using bench::Interval;
using bench::Json;
using bench::median_of;

constexpr int blocks = 4001;
constexpr int calls_per_block = 500;
constexpr int halo_requests = 32;
constexpr int block_points = 34;

void check(int code, const char* call) {
  if (code != ADCL_SUCCESS) {
    std::fprintf(stderr, "%s: %s (%s)\n", call, ADCL_Error_string(code), ADCL_Last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

volatile int executed = 0;

void nothing(ADCL_Request /*request*/) { executed = 1; }

// Kept in a volatile pointer so that the direct call is a real call too.
ADCL_work_fnct_ptr* volatile direct = nothing;

ADCL_Request idle_request() {
  ADCL_Function function = ADCL_FUNCTION_NULL;
  ADCL_Fnctset set = ADCL_FNCTSET_NULL;
  ADCL_Request request = ADCL_REQUEST_NULL;
  check(ADCL_Function_create(nothing, ADCL_ATTRSET_NULL, nullptr, "nothing", &function), "ADCL_Function_create");
  check(ADCL_Fnctset_create(1, &function, "idle", &set), "ADCL_Fnctset_create");
  check(ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, ADCL_TOPOLOGY_NULL, set, &request),
        "ADCL_Request_create");
  check(ADCL_Fnctset_free(&set), "ADCL_Fnctset_free");
  check(ADCL_Function_free(&function), "ADCL_Function_free");
  int state = ADCL_STATE_SEARCH;
  for (int i = 0; i < 1000 && state == ADCL_STATE_SEARCH; ++i) {
    check(ADCL_Request_start(request), "ADCL_Request_start");
    check(ADCL_Request_get_state(request, &state), "ADCL_Request_get_state");
  }
  return request;
}

double block_through(ADCL_Request request) {
  const double begin = MPI_Wtime();
  for (int i = 0; i < calls_per_block; ++i) {
    ADCL_Request_start(request);
  }
  return (MPI_Wtime() - begin) / calls_per_block;
}

double block_direct(ADCL_Request request) {
  const double begin = MPI_Wtime();
  for (int i = 0; i < calls_per_block; ++i) {
    direct(request);
  }
  return (MPI_Wtime() - begin) / calls_per_block;
}

Interval added_ns() {
  ADCL_Request request = idle_request();
  std::vector<double> differences;
  differences.reserve(blocks);
  for (int block = 0; block < blocks; ++block) {
    // Every other pair the other way round: what grows with time cancels.
    double through = 0.0;
    double alone = 0.0;
    if (block % 2 == 0) {
      through = block_through(request);
      alone = block_direct(request);
    } else {
      alone = block_direct(request);
      through = block_through(request);
    }
    differences.push_back((through - alone) * 1e9);
  }
  check(ADCL_Request_free(&request), "ADCL_Request_free");
  return median_of(std::move(differences));
}

struct Memory {
  double request_bytes = 0.0;
  double plan_bytes = 0.0;
  std::string winner;
};

double allocated_bytes() { return static_cast<double>(mallinfo2().uordblks); }

/// A halo exchange that is in production.
ADCL_Request settled_request(MPI_Comm cart, std::vector<double>& data) {
  const int dims[3] = {block_points, block_points, block_points};
  ADCL_Request request = ADCL_REQUEST_NULL;
  check(ADCL_Halo_init(data.data(), 3, dims, 0, 1, MPI_DOUBLE, cart, &request), "ADCL_Halo_init");
  int state = ADCL_STATE_SEARCH;
  for (int i = 0; i < 10000 && state == ADCL_STATE_SEARCH; ++i) {
    check(ADCL_Request_start(request), "ADCL_Request_start");
    check(ADCL_Request_get_state(request, &state), "ADCL_Request_get_state");
  }
  check(ADCL_Request_start(request), "ADCL_Request_start");
  return request;
}

/// Bytes that the plan of \p codelet takes: a request that shares a search in production makes nothing else when it is
/// started.
double plan_bytes(MPI_Comm cart, std::vector<double>& data, const std::string& codelet) {
  const int dims[3] = {block_points, block_points, block_points};
  check(ADCL_Option_set("ADCL_CODELETS", ("neighborhood:" + codelet).c_str()), "ADCL_Option_set");
  check(ADCL_Option_set("ADCL_MERGE_REQUESTS", "1"), "ADCL_Option_set");
  std::vector<ADCL_Request> requests = {settled_request(cart, data)};
  double growth = 0.0;
  for (int r = 0; r < halo_requests; ++r) {
    ADCL_Request request = ADCL_REQUEST_NULL;
    check(ADCL_Halo_init(data.data(), 3, dims, 0, 1, MPI_DOUBLE, cart, &request), "ADCL_Halo_init");
    const double before = allocated_bytes();
    check(ADCL_Request_start(request), "ADCL_Request_start");
    growth += allocated_bytes() - before;
    requests.push_back(request);
  }
  for (ADCL_Request& request : requests) {
    check(ADCL_Request_free(&request), "ADCL_Request_free");
  }
  return growth / halo_requests;
}

Memory request_memory() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int cart_dims[3] = {0, 0, 0};
  const int periods[3] = {1, 1, 1};
  MPI_Comm cart = MPI_COMM_NULL;
  MPI_Dims_create(size, 3, cart_dims);
  MPI_Cart_create(MPI_COMM_WORLD, 3, cart_dims, periods, 0, &cart);
  std::vector<double> data(static_cast<std::size_t>(block_points) * block_points * block_points);
  check(ADCL_Option_set("ADCL_MERGE_REQUESTS", "0"), "ADCL_Option_set");
  check(ADCL_Option_set("ADCL_MEASUREMENTS", "2"), "ADCL_Option_set");
  std::vector<ADCL_Request> requests = {settled_request(cart, data)};  // the first one also warms MPI up
  const double before = allocated_bytes();
  for (int r = 0; r < halo_requests; ++r) {
    requests.push_back(settled_request(cart, data));
  }
  Memory memory;
  memory.request_bytes = (allocated_bytes() - before) / halo_requests;
  char winner[ADCL_MAX_NAME];
  check(ADCL_Request_get_winner(requests.back(), winner, sizeof winner), "ADCL_Request_get_winner");
  memory.winner = winner;
  for (ADCL_Request& request : requests) {
    check(ADCL_Request_free(&request), "ADCL_Request_free");
  }
  memory.plan_bytes = plan_bytes(cart, data, memory.winner);
  MPI_Comm_free(&cart);
  return memory;
}

}  // namespace

int main(int argc, char** argv) {
  if (!bench::names_a_file(argc, argv)) {
    return 2;
  }
  MPI_Init(&argc, &argv);
  check(ADCL_Init(), "ADCL_Init");
  const Interval added = added_ns();
  const Memory memory = request_memory();
  double worst[5] = {added.median, added.low, added.high, memory.request_bytes - memory.plan_bytes, memory.plan_bytes};
  MPI_Allreduce(MPI_IN_PLACE, worst, 5, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const Json context = {{"blocks", blocks},
                        {"calls_per_block", calls_per_block},
                        {"halo", "34x34x34 doubles, width 1, periodic"},
                        {"halo_winner", memory.winner},
                        {"plan_bytes", worst[4]}};
  const Json figures = {{{"name", "request_start_added_ns"},
                         {"value", worst[0]},
                         {"unit", "ns"},
                         {"target", 10},
                         {"interval", {worst[1], worst[2]}}},
                        {{"name", "request_memory_bytes"}, {"value", worst[3]}, {"unit", "bytes"}, {"target", 65536}}};
  const int code = bench::write_document(argv[1], context, figures);
  check(ADCL_Finalize(), "ADCL_Finalize");
  MPI_Finalize();
  return code;
}
