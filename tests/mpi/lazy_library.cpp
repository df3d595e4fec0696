// ranks: 1 2 3
// large: 5
// timeout: 120
// not smpi: its calls are macros, which cannot be replaced
// Every codelet of the neighborhood on an MPI library that acts as late as the standard allows: puts and gets take
// effect in the call that completes them. After an operation is complete, none of its puts, gets, nonblocking or
// persistent requests is active. Libraries that act earlier hide a missing synchronization of a codelet.
#include <algorithm>
#include <functional>
#include <list>
#include <map>
#include <vector>

#include "core/text.hpp"
#include "support/scenario.hpp"

namespace adcl::test {
namespace {

struct Access {
  MPI_Win window;
  int target;
  std::function<int()> make;
};

std::list<Access> accesses;
/// Active requests by handle: a library may use one handle for several completed requests.
std::map<MPI_Request, int> started;

/// Performs the pending accesses to \p target (-1: all targets) in this window.
int perform_accesses(MPI_Win window, int target) {
  int code = MPI_SUCCESS;
  for (auto access = accesses.begin(); access != accesses.end();) {
    if (access->window == window && (target < 0 || access->target == target)) {
      code = std::max(code, access->make());
      access = accesses.erase(access);
    } else {
      ++access;
    }
  }
  return code;
}

int note_start(int code, const MPI_Request* request) {
  if (code == MPI_SUCCESS) {
    ++started[*request];
  }
  return code;
}

void note_end(MPI_Request request) {
  const auto entry = started.find(request);
  if (entry != started.end() && --entry->second == 0) {
    started.erase(entry);
  }
}

/// Copies the handles before a call that completes some of them.
std::vector<MPI_Request> handles(int n, const MPI_Request* requests) { return {requests, requests + n}; }

void note_ends(const std::vector<MPI_Request>& requests) {
  for (const MPI_Request request : requests) {
    note_end(request);
  }
}

void note_ends(const std::vector<MPI_Request>& requests, int n, const int* indices) {
  for (int i = 0; n != MPI_UNDEFINED && i < n; ++i) {
    note_end(requests[static_cast<std::size_t>(indices[i])]);
  }
}

void nothing_is_active(Suite& suite, const std::string& codelet, const char* after) {
  std::size_t requests = 0;
  for (const auto& [handle, count] : started) {
    requests += static_cast<std::size_t>(count);
  }
  suite.expect(accesses.empty() && requests == 0, text(codelet, ": after ", after, ", ", accesses.size(),
                                                       " puts or gets and ", requests, " requests are active"));
  accesses.clear();
  started.clear();
}

void one_codelet(Suite& suite, Request& request, const Codelet& codelet) {
  Exchange exchange(suite, request, codelet);
  accesses.clear();
  started.clear();
  exchange.run(0);
  nothing_is_active(suite, codelet.name, "run");
  exchange.start(1);
  exchange.wait();
  nothing_is_active(suite, codelet.name, "wait");
  exchange.verify();
  exchange.start(2);
  exchange.poll();
  nothing_is_active(suite, codelet.name, "test");
  exchange.verify();
}

/// Blocks in a periodic line, with messages that MPI libraries buffer or with longer messages.
ProblemModel line(int size, int points) {
  const std::vector<std::vector<int>> blocks(1, std::vector<int>(static_cast<std::size_t>(size), points));
  return grid_problem(grid_topology(Kind::cartesian, {size}, {1}), blocks, {{points}, {points}});
}

TopologyModel random_topology(Random& random, int size) {
  return random.one_in(2) ? random_graph_topology(random, size)
                          : random_grid_topology(random, size, Kind::cartesian, random.between(1, 3));
}

}  // namespace
}  // namespace adcl::test

using namespace adcl::test;

extern "C" {

int MPI_Put(const void* origin, int n, MPI_Datatype type, int target, MPI_Aint place, int target_n,
            MPI_Datatype target_type, MPI_Win window) {
  accesses.push_back(
      {window, target, [=] { return PMPI_Put(origin, n, type, target, place, target_n, target_type, window); }});
  return MPI_SUCCESS;
}
int MPI_Get(void* origin, int n, MPI_Datatype type, int target, MPI_Aint place, int target_n, MPI_Datatype target_type,
            MPI_Win window) {
  accesses.push_back(
      {window, target, [=] { return PMPI_Get(origin, n, type, target, place, target_n, target_type, window); }});
  return MPI_SUCCESS;
}
int MPI_Win_fence(int assertion, MPI_Win window) {
  const int code = perform_accesses(window, -1);
  return std::max(code, PMPI_Win_fence(assertion, window));
}
int MPI_Win_complete(MPI_Win window) {
  const int code = perform_accesses(window, -1);
  return std::max(code, PMPI_Win_complete(window));
}
int MPI_Win_flush(int target, MPI_Win window) {
  const int code = perform_accesses(window, target);
  return std::max(code, PMPI_Win_flush(target, window));
}

int MPI_Isend(const void* data, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  return note_start(PMPI_Isend(data, n, type, peer, tag, comm, request), request);
}
int MPI_Irecv(void* data, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  return note_start(PMPI_Irecv(data, n, type, peer, tag, comm, request), request);
}
int MPI_Ineighbor_alltoallw(const void* out, const int out_n[], const MPI_Aint out_places[],
                            const MPI_Datatype out_types[], void* in, const int in_n[], const MPI_Aint in_places[],
                            const MPI_Datatype in_types[], MPI_Comm comm, MPI_Request* request) {
  return note_start(
      PMPI_Ineighbor_alltoallw(out, out_n, out_places, out_types, in, in_n, in_places, in_types, comm, request),
      request);
}
int MPI_Start(MPI_Request* request) { return note_start(PMPI_Start(request), request); }
int MPI_Startall(int n, MPI_Request requests[]) {
  const int code = PMPI_Startall(n, requests);
  for (int i = 0; i < n; ++i) {
    note_start(code, requests + i);
  }
  return code;
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  note_end(*request);
  return PMPI_Wait(request, status);
}
int MPI_Waitall(int n, MPI_Request requests[], MPI_Status statuses[]) {
  note_ends(handles(n, requests));
  return PMPI_Waitall(n, requests, statuses);
}
int MPI_Waitany(int n, MPI_Request requests[], int* index, MPI_Status* status) {
  const auto before = handles(n, requests);
  const int code = PMPI_Waitany(n, requests, index, status);
  note_ends(before, *index == MPI_UNDEFINED ? 0 : 1, index);
  return code;
}
int MPI_Waitsome(int n, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]) {
  const auto before = handles(n, requests);
  const int code = PMPI_Waitsome(n, requests, done, indices, statuses);
  note_ends(before, *done, indices);
  return code;
}
int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  const MPI_Request before = *request;
  const int code = PMPI_Test(request, done, status);
  note_ends(handles(*done != 0 ? 1 : 0, &before));
  return code;
}
int MPI_Testall(int n, MPI_Request requests[], int* done, MPI_Status statuses[]) {
  const auto before = handles(n, requests);
  const int code = PMPI_Testall(n, requests, done, statuses);
  if (*done != 0) {
    note_ends(before);
  }
  return code;
}
int MPI_Testany(int n, MPI_Request requests[], int* index, int* done, MPI_Status* status) {
  const auto before = handles(n, requests);
  const int code = PMPI_Testany(n, requests, index, done, status);
  note_ends(before, *done == 0 || *index == MPI_UNDEFINED ? 0 : 1, index);
  return code;
}
int MPI_Testsome(int n, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]) {
  const auto before = handles(n, requests);
  const int code = PMPI_Testsome(n, requests, done, indices, statuses);
  note_ends(before, *done, indices);
  return code;
}

}  // extern "C"

int main(int argc, char** argv) {
  return run_suite(argc, argv, [](Suite& suite) {
    Random order(1);
    each_codelet(suite, line(suite.size(), 3), order, true, one_codelet);
    each_codelet(suite, line(suite.size(), 20000), order, true, one_codelet);
    suite.repeat("problems", 2, [&](std::uint64_t seed) {
      Random random(seed);
      const TopologyModel model = random_topology(random, suite.size());
      each_codelet(suite, random_problem(random, model, model.ndims <= 2 && random.one_in(4)), random, false,
                   one_codelet);
    });
  });
}
