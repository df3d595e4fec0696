// in make check
// Time and memory that ADCL adds to a codelet in production: nanoseconds per ADCL_Request_start, and bytes per request.
//
// Time: a user-defined codelet that does nothing is called through ADCL_Request_start and directly, in alternating
// blocks, on one process at a time; the figure is the median over the blocks of the difference per call, with the 95 %
// confidence interval of a median from order statistics. In the same way a collective of one process is compared with
// MPI's own call, which is the codelet. A short block rarely contains a check of the monitor. There are also fewer long
// blocks with two checks each, which include the cost of monitoring. Two codelets do nothing, so that there is an
// alternative to monitor. Memory: growth of malloc's memory per request of a three-dimensional halo exchange whose
// search has found its winner, minus the memory of the winner's plan: the growth at the first start of further requests
// with the winner preselected.
#include <ADCL.h>
#include <malloc.h>

#include <string>
#include <vector>

#include "common/adcl_call.hpp"
#include "common/document.hpp"
#include "common/median.hpp"

namespace {

using bench::check;
using bench::figure;
using bench::Interval;
using bench::Json;
using bench::median_of;

const int blocks = bench::effort(4001, 21);
constexpr int calls_per_block = 500;
const int long_blocks = bench::effort(201, 3);
constexpr int calls_per_long_block = 200000;
constexpr int halo_requests = 32;
constexpr int block_points = 34;

volatile int executed = 0;

void nothing(ADCL_Request /*request*/) { executed = 1; }
void nothing_else(ADCL_Request /*request*/) { executed = 1; }

// Stored in a volatile pointer, so that the compiler cannot inline the direct call.
ADCL_work_fnct_ptr* volatile direct = nothing;

ADCL_Request idle_request() {
  ADCL_Function functions[2] = {ADCL_FUNCTION_NULL, ADCL_FUNCTION_NULL};
  ADCL_Fnctset set = ADCL_FNCTSET_NULL;
  ADCL_Request request = ADCL_REQUEST_NULL;
  check(ADCL_Function_create(nothing, ADCL_ATTRSET_NULL, nullptr, "nothing", &functions[0]), "ADCL_Function_create");
  check(ADCL_Function_create(nothing_else, ADCL_ATTRSET_NULL, nullptr, "nothing_else", &functions[1]),
        "ADCL_Function_create");
  check(ADCL_Fnctset_create(2, functions, "idle", &set), "ADCL_Fnctset_create");
  check(ADCL_Option_set("ADCL_SEARCH", "brute_force"), "ADCL_Option_set");  // a short search
  check(ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, ADCL_TOPOLOGY_NULL, set, &request),
        "ADCL_Request_create");
  check(ADCL_Option_set("ADCL_SEARCH", "model"), "ADCL_Option_set");
  check(ADCL_Fnctset_free(&set), "ADCL_Fnctset_free");
  check(ADCL_Function_free(&functions[0]), "ADCL_Function_free");
  check(ADCL_Function_free(&functions[1]), "ADCL_Function_free");
  int state = ADCL_STATE_SEARCH;
  for (int i = 0; i < 1000 && state == ADCL_STATE_SEARCH; ++i) {
    check(ADCL_Request_start(request), "ADCL_Request_start");
    check(ADCL_Request_get_state(request, &state), "ADCL_Request_get_state");
  }
  return request;
}

template <typename Call>
double block_of(const Call& call, int calls) {
  const double begin = MPI_Wtime();
  for (int i = 0; i < calls; ++i) {
    call();
  }
  return (MPI_Wtime() - begin) / calls;
}

/// Difference between the times of \p longer and \p shorter.
template <typename Longer, typename Shorter>
Interval difference_ns(const Longer& longer, const Shorter& shorter, int count = blocks, int calls = calls_per_block) {
  std::vector<double> differences;
  differences.reserve(static_cast<std::size_t>(count));
  for (int block = 0; block < count; ++block) {
    // Every second pair is in reverse order, so that linear drifts cancel.
    double through = 0.0;
    double alone = 0.0;
    if (block % 2 == 0) {
      through = block_of(longer, calls);
      alone = block_of(shorter, calls);
    } else {
      alone = block_of(shorter, calls);
      through = block_of(longer, calls);
    }
    differences.push_back((through - alone) * 1e9);
  }
  return median_of(std::move(differences));
}

struct IdleStarts {
  Interval alone;    ///< between two checks
  Interval watched;  ///< including the checks
};

IdleStarts added_ns() {
  ADCL_Request request = idle_request();
  const auto start = [&] { ADCL_Request_start(request); };
  const auto call = [&] { direct(request); };
  const IdleStarts added{difference_ns(start, call), difference_ns(start, call, long_blocks, calls_per_long_block)};
  check(ADCL_Request_free(&request), "ADCL_Request_free");
  return added;
}

/// Time that a start, a start with other arrays, and a start in two calls add to MPI's own call, here a sum of one
/// number on one process.
struct CollectiveStarts {
  Interval start;
  Interval start_with;
  Interval init_and_wait;
};

CollectiveStarts collective_added_ns() {
  CollectiveStarts added;
  MPI_Comm alone = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &alone);
  double in[2] = {1.0, 2.0};
  double out[2] = {0.0, 0.0};
  ADCL_Request request = ADCL_REQUEST_NULL;
  ADCL_Request overlapped = ADCL_REQUEST_NULL;
  check(ADCL_Option_set("ADCL_CODELETS", "allreduce:Native;iallreduce:Native_nonblocking"), "ADCL_Option_set");
  check(ADCL_Allreduce_init(&in[0], &out[0], 1, MPI_DOUBLE, MPI_SUM, alone, &request), "ADCL_Allreduce_init");
  check(ADCL_Iallreduce_init(&in[0], &out[0], 1, MPI_DOUBLE, MPI_SUM, alone, &overlapped), "ADCL_Iallreduce_init");
  const auto native = [&] { MPI_Allreduce(&in[0], &out[0], 1, MPI_DOUBLE, MPI_SUM, alone); };
  added.start = difference_ns([&] { ADCL_Request_start(request); }, native);
  added.start_with = difference_ns([&] { ADCL_Request_start_with(request, &in[1], &out[1]); }, native);
  added.init_and_wait = difference_ns(
      [&] {
        ADCL_Request_init(overlapped);
        ADCL_Request_wait(overlapped);
      },
      [&] {
        MPI_Request started = MPI_REQUEST_NULL;
        MPI_Iallreduce(&in[0], &out[0], 1, MPI_DOUBLE, MPI_SUM, alone, &started);
        MPI_Wait(&started, MPI_STATUS_IGNORE);
      });
  check(ADCL_Request_free(&request), "ADCL_Request_free");
  check(ADCL_Request_free(&overlapped), "ADCL_Request_free");
  check(ADCL_Option_set("ADCL_CODELETS", ""), "ADCL_Option_set");
  MPI_Comm_free(&alone);
  return added;
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
  check(ADCL_Halo_init(ADCL_HALO(data.data(), 3, dims, 0, 1, MPI_DOUBLE), cart, &request), "ADCL_Halo_init");
  int state = ADCL_STATE_SEARCH;
  for (int i = 0; i < 10000 && state == ADCL_STATE_SEARCH; ++i) {
    check(ADCL_Request_start(request), "ADCL_Request_start");
    check(ADCL_Request_get_state(request, &state), "ADCL_Request_get_state");
  }
  check(ADCL_Request_start(request), "ADCL_Request_start");
  return request;
}

/// Bytes of the plan of \p codelet: the first start of a request that shares a search in production allocates nothing
/// else.
double plan_bytes(MPI_Comm cart, std::vector<double>& data, const std::string& codelet) {
  const int dims[3] = {block_points, block_points, block_points};
  check(ADCL_Option_set("ADCL_CODELETS", ("neighborhood:" + codelet).c_str()), "ADCL_Option_set");
  check(ADCL_Option_set("ADCL_MERGE_REQUESTS", "1"), "ADCL_Option_set");
  std::vector<ADCL_Request> requests = {settled_request(cart, data)};
  double growth = 0.0;
  for (int r = 0; r < halo_requests; ++r) {
    ADCL_Request request = ADCL_REQUEST_NULL;
    check(ADCL_Halo_init(ADCL_HALO(data.data(), 3, dims, 0, 1, MPI_DOUBLE), cart, &request), "ADCL_Halo_init");
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
  std::vector<ADCL_Request> requests = {settled_request(cart, data)};  // the first request also warms MPI up
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
  const IdleStarts added = added_ns();
  const CollectiveStarts collective = collective_added_ns();
  double starts[9] = {collective.start.median,         collective.start.low,         collective.start.high,
                      collective.start_with.median,    collective.start_with.low,    collective.start_with.high,
                      collective.init_and_wait.median, collective.init_and_wait.low, collective.init_and_wait.high};
  MPI_Allreduce(MPI_IN_PLACE, starts, 9, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const Memory memory = request_memory();
  double worst[8] = {
      added.alone.median, added.alone.low,      added.alone.high,  memory.request_bytes - memory.plan_bytes,
      memory.plan_bytes,  added.watched.median, added.watched.low, added.watched.high};
  MPI_Allreduce(MPI_IN_PLACE, worst, 8, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const Json context = {{"blocks", blocks},
                        {"calls_per_block", calls_per_block},
                        {"halo", "34x34x34 doubles, width 1, periodic"},
                        {"halo_winner", memory.winner},
                        {"plan_bytes", worst[4]}};
  const Json figures = {figure("request_start_added_ns", bench::Interval{worst[0], worst[1], worst[2]}),
                        figure("request_start_watched_ns", bench::Interval{worst[5], worst[6], worst[7]}),
                        figure("collective_start_added_ns", bench::Interval{starts[0], starts[1], starts[2]}),
                        figure("collective_start_with_added_ns", bench::Interval{starts[3], starts[4], starts[5]}),
                        figure("collective_init_and_wait_added_ns", bench::Interval{starts[6], starts[7], starts[8]}),
                        figure("request_memory_bytes", worst[3])};
  const int code = bench::write_document(argv[1], context, figures);
  check(ADCL_Finalize(), "ADCL_Finalize");
  MPI_Finalize();
  return code;
}
