// ADCL_v1_Request_create to ADCL_v1_Request_update: creation and use of requests.
#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "capi/objects.hpp"
#include "capi/v1/vectors.hpp"
#include "codelets/collectives/vmaps.hpp"

namespace adcl::capi::v1 {
namespace {

using runtime::RequestParts;

/// The send or receive side of a request. A side without a vector has no data on this rank, or is in place.
struct Side {
  std::shared_ptr<data::Vector> vector;
  std::shared_ptr<data::Vmap> vmap;

  [[nodiscard]] bool in_place() const { return dynamic_cast<const codelets::InplaceVmap*>(vmap.get()) != nullptr; }
};

Side side_of(ADCL_Vector vec, const char* argument) {
  if (vec == ADCL_VECTOR_NULL) {
    return {};
  }
  const auto vector = registry().vectors.get(vec, argument);
  const auto* const own = dynamic_cast<const V1Vector*>(vector.get());
  require(own != nullptr, Code::argument, argument,
          " has no vmap, because it was created by a function of ADCL.h; create the vector and the request with "
          "functions of the same header");
  Side side{vector, own->vmap};
  if (side.in_place()) {
    side.vector = nullptr;
  }
  return side;
}

/// Number of entries per block if the whole vector is divided into \p blocks blocks.
int block_entries(const data::Vector& vector, int blocks) {
  const std::int64_t entries = vector.grid().points() * std::max(vector.nc(), 1);
  require(entries % blocks == 0, Code::argument, "a vector has ", entries, " entries, which is not a multiple of the ",
          blocks, " processes");
  require(entries / blocks <= std::numeric_limits<int>::max(), Code::unsupported, "a vector has ", entries,
          " entries, more than an int can count");
  return static_cast<int>(entries / blocks);
}

/// Sets the count of a vmap that has none. \p exchange: the operation is an all-to-all exchange.
void set_count(Side& side, int blocks, bool exchange = false) {
  const auto* whole = dynamic_cast<const WholeVmap*>(side.vmap.get());
  if (whole == nullptr || side.vector == nullptr) {
    return;
  }
  const int entries = block_entries(*side.vector, blocks);
  if (exchange) {
    side.vmap = std::make_shared<codelets::AlltoallVmap>(entries, entries);
  } else if (whole->op.has_value()) {
    side.vmap = std::make_shared<codelets::ReduceVmap>(entries, *whole->op);
  } else {
    side.vmap = std::make_shared<codelets::AllVmap>(entries);
  }
}

/// The number of ranks, and whether this rank is the root.
struct Role {
  int size;
  bool is_root;
};

/// Returns the blocking set of the same operation if \p set is a set for overlap.
ADCL_Fnctset blocking(ADCL_Fnctset set) {
  const std::array<std::pair<ADCL_Fnctset, ADCL_Fnctset>, 5> pairs{{{ADCL_FNCTSET_IBCAST, ADCL_FNCTSET_BCAST},
                                                                    {ADCL_FNCTSET_IALLTOALL, ADCL_FNCTSET_ALLTOALL},
                                                                    {ADCL_FNCTSET_IALLGATHER, ADCL_FNCTSET_ALLGATHER},
                                                                    {ADCL_FNCTSET_IREDUCE, ADCL_FNCTSET_REDUCE},
                                                                    {ADCL_FNCTSET_IALLREDUCE, ADCL_FNCTSET_ALLREDUCE}}};
  const auto* const found = std::ranges::find(pairs, set, &std::pair<ADCL_Fnctset, ADCL_Fnctset>::first);
  return found != pairs.end() ? found->second : set;
}

/// ADCL.h expects only the sides that a rank has; 1.x took both vectors on all ranks.
data::Field field_of(ADCL_Fnctset given, const Role& role, Side send, Side receive) {
  ADCL_Fnctset set = blocking(given);
  const auto is = [&set](std::initializer_list<ADCL_Fnctset> sets) {
    return std::ranges::find(sets, set) != sets.end();
  };
  if (is({ADCL_FNCTSET_BCAST})) {
    receive = send.vector != nullptr ? std::exchange(send, {}) : receive;
  } else if (is({ADCL_FNCTSET_GATHER, ADCL_FNCTSET_GATHERV, ADCL_FNCTSET_REDUCE}) && !role.is_root) {
    // The operation is in place on all ranks: on ranks other than the root, the receive array contains the data to
    // send.
    send = send.in_place() && set == ADCL_FNCTSET_REDUCE ? receive : send;
    receive = {};
  } else if (is({ADCL_FNCTSET_SCATTER, ADCL_FNCTSET_SCATTERV}) && !role.is_root) {
    send = {};
  }
  const bool exchange = is({ADCL_FNCTSET_ALLTOALL});
  const bool combines_blocks = is({ADCL_FNCTSET_REDUCE_SCATTER_BLOCK});
  const bool several_sent = exchange || combines_blocks || is({ADCL_FNCTSET_SCATTER});
  const bool several_received =
      exchange || (combines_blocks && send.in_place()) || is({ADCL_FNCTSET_GATHER, ADCL_FNCTSET_ALLGATHER});
  set_count(send, several_sent ? role.size : 1, exchange);
  set_count(receive, several_received ? role.size : 1, exchange);
  return {send.vector, receive.vector, send.vmap, receive.vmap};
}

struct Handles {
  ADCL_Vector svec;
  ADCL_Vector rvec;
  ADCL_Topology topo;
  ADCL_Fnctset set;
  int root;
};

RequestParts parts_of(const Handles& handles, const ADCL_Request* req) {
  require_pointer(req, "req");
  RequestParts parts;
  parts.set = registry().fnctsets.get(handles.set, "set");
  Role role{1, true};
  if (handles.topo != ADCL_TOPOLOGY_NULL || parts.set->predefined()) {
    const auto topology = registry().topologies.get(handles.topo, "topo");
    role.size = topology->context->size();
    require(handles.root >= 0 && handles.root < role.size, Code::argument, "root is ", handles.root,
            "; the processes of the topology are 0 to ", role.size - 1);
    role.is_root = topology->context->rank() == handles.root;
    // A copy of the topology with the root of this request.
    parts.topology = std::make_shared<data::Topology>(*topology);
    parts.topology->root = handles.root;
  }
  const Side send = side_of(handles.svec, "svec");
  const Side receive = handles.svec == handles.rvec ? send : side_of(handles.rvec, "rvec");
  parts.fields.push_back(field_of(handles.set, role, send, receive));
  return parts;
}

/// Returns the code for the invalid handle: the function set's or the topology's if it is invalid on this rank,
/// otherwise a vector's, since a vector may be invalid on another rank.
int handle_code(const Handles& handles) {
  const auto* set = registry().fnctsets.find(handles.set);
  if (set == nullptr) {
    return ADCL_INVALID_FNCTSET;
  }
  const bool wants_topology = handles.topo != ADCL_TOPOLOGY_NULL || set->predefined();
  return wants_topology && registry().topologies.find(handles.topo) == nullptr ? ADCL_INVALID_TOPOLOGY
                                                                               : ADCL_INVALID_VECTOR;
}

int create(const char* call, const Handles& handles, ADCL_Request* req) {
  const int code = guard_initialized(call, [&] {
    create_request(handles.topo, handles.set, mpi::attempt([&] { return parts_of(handles, req); }), req);
  });
  return code == ADCL_SUCCESS ? code : v1_code(code, handle_code(handles));
}

/// Requests that ADCL_Request_progress has completed and whose wait has not been called yet.
class Completed {
 public:
  void add(ADCL_Request request) {
    const std::scoped_lock lock(mutex_);
    requests_.insert(request);
    count_ = requests_.size();
  }
  [[nodiscard]] bool has(ADCL_Request request) {
    if (count_ == 0) {
      return false;
    }
    const std::scoped_lock lock(mutex_);
    return requests_.count(request) > 0;
  }
  /// Returns whether \p request was in the list.
  bool remove(ADCL_Request request) {
    if (count_ == 0) {
      return false;
    }
    const std::scoped_lock lock(mutex_);
    const bool was = requests_.erase(request) > 0;
    count_ = requests_.size();
    return was;
  }

 private:
  std::mutex mutex_;
  std::set<ADCL_Request> requests_;
  std::atomic<std::size_t> count_{0};
};

Completed& completed() {
  static auto* instance = new Completed();
  return *instance;
}

void no_work(ADCL_Request /*request*/) {}

}  // namespace
}  // namespace adcl::capi::v1

using namespace adcl::capi::v1;

extern "C" {

int ADCL_v1_Request_create(ADCL_Vector vec, ADCL_Topology topo, ADCL_Fnctset set, ADCL_Request* req) {
  return create("ADCL_Request_create", {vec, vec, topo, set, 0}, req);
}

int ADCL_v1_Request_create_generic(ADCL_Vector svec, ADCL_Vector rvec, ADCL_Topology topo, ADCL_Fnctset set,
                                   ADCL_Request* req) {
  return create("ADCL_Request_create_generic", {svec, rvec, topo, set, 0}, req);
}

int ADCL_v1_Request_create_generic_rooted(ADCL_Vector svec, ADCL_Vector rvec, ADCL_Topology topo, ADCL_Fnctset set,
                                          int root, ADCL_Request* req) {
  return create("ADCL_Request_create_generic_rooted", {svec, rvec, topo, set, root}, req);
}

int ADCL_v1_Request_free(ADCL_Request* req) {
  if (req != nullptr) {
    completed().remove(*req);
  }
  return v1_code(ADCL_Request_free(req), ADCL_INVALID_REQUEST);
}

int ADCL_v1_Request_start(ADCL_Request req) { return v1_code(ADCL_Request_start(req), ADCL_INVALID_REQUEST); }

int ADCL_v1_Request_init(ADCL_Request req) {
  completed().remove(req);
  return v1_code(ADCL_Request_init(req), ADCL_INVALID_REQUEST);
}

int ADCL_v1_Request_wait(ADCL_Request req) {
  return completed().remove(req) ? ADCL_SUCCESS : v1_code(ADCL_Request_wait(req), ADCL_INVALID_REQUEST);
}

int ADCL_v1_Request_progress(ADCL_Request req) {
  if (completed().has(req)) {
    return ADCL_SUCCESS;
  }
  int flag = 0;
  const int code = ADCL_Request_test(req, &flag);
  if (code != ADCL_SUCCESS) {
    return v1_code(code, ADCL_INVALID_REQUEST);
  }
  if (flag == 0) {
    return ADCL_CONTINUE;
  }
  completed().add(req);
  return ADCL_SUCCESS;
}

int ADCL_v1_Request_start_overlap(ADCL_Request req, ADCL_work_fnct_ptr* mid, ADCL_work_fnct_ptr* end,
                                  ADCL_work_fnct_ptr* total) {
  const auto work = [](ADCL_work_fnct_ptr* function) { return function != nullptr ? function : &no_work; };
  return v1_code(ADCL_Request_start_overlap(req, work(mid), work(end), work(total)), ADCL_INVALID_REQUEST);
}

int ADCL_v1_Request_update(ADCL_Request req, double seconds) {
  return v1_code(ADCL_Request_update(req, seconds), ADCL_INVALID_REQUEST);
}

}  // extern "C"
