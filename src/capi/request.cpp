// ADCL_Request_create to ADCL_Request_start_overlap: a request's life.
#include <string>

#include "ADCL.h"
#include "capi/guard.hpp"
#include "capi/publish.hpp"
#include "capi/registry.hpp"
#include "codelets/neighborhood/vmaps.hpp"
#include "mpi/agreement.hpp"
#include "mpi/check.hpp"
#include "runtime/user_call.hpp"

namespace adcl::capi {
namespace {

using runtime::Request;
using runtime::RequestParts;

[[noreturn]] void throw_bad_request(ADCL_Request req) {
  require_initialized();
  registry().requests.throw_bad(reinterpret_cast<std::uintptr_t>(req), "req");
}

inline Request &find_request(ADCL_Request req) {
  Request *request = registry().requests.find(reinterpret_cast<std::uintptr_t>(req));
  if (request == nullptr) [[unlikely]] {
    throw_bad_request(req);
  }
  return *request;
}

template <typename Object>
std::shared_ptr<Object> optional_object(const HandleTable<Object> &table, const void *handle, const void *null,
                                        const char *argument) {
  return handle == null ? nullptr : table.get(handle, argument);
}

/// The handles of the fields, as the caller gave them.
struct FieldHandles {
  int n;
  const ADCL_Vector *svecs;
  const ADCL_Vmap *svmaps;
  const ADCL_Vector *rvecs;
  const ADCL_Vmap *rvmaps;
};

void require_fields(int n) { require(n >= 1, Code::argument, "n is ", n, "; a request has at least one field"); }

/// \p name, and of which field where there are several.
std::string field_name(const char *name, int n, int field) {
  return n > 1 ? name + (" of field " + text(field)) : name;
}

data::Field field_of(const FieldHandles &handles, int f) {
  const auto named = [&](const char *name) { return field_name(name, handles.n, f); };
  data::Field field;
  field.send_vector =
      optional_object(registry().vectors, handles.svecs[f], ADCL_VECTOR_NULL, named("the (send) vector").c_str());
  field.receive_vector =
      optional_object(registry().vectors, handles.rvecs[f], ADCL_VECTOR_NULL, named("the receive vector").c_str());
  field.send_vmap =
      optional_object(registry().vmaps, handles.svmaps[f], ADCL_VMAP_NULL, named("the (send) vmap").c_str());
  field.receive_vmap =
      optional_object(registry().vmaps, handles.rvmaps[f], ADCL_VMAP_NULL, named("the receive vmap").c_str());
  return field;
}

RequestParts resolve(const FieldHandles &handles, ADCL_Topology topo, ADCL_Fnctset set, const ADCL_Request *req) {
  require_pointer(static_cast<const void *>(req), "req");
  require_fields(handles.n);
  require_pointer(static_cast<const void *>(handles.svecs), "svecs");
  require_pointer(static_cast<const void *>(handles.svmaps), "svmaps");
  require_pointer(static_cast<const void *>(handles.rvecs), "rvecs");
  require_pointer(static_cast<const void *>(handles.rvmaps), "rvmaps");
  RequestParts parts;
  parts.set = registry().fnctsets.get(set, "set");
  parts.topology = optional_object(registry().topologies, topo, ADCL_TOPOLOGY_NULL, "topo");
  require(parts.topology != nullptr || !parts.set->predefined(), Code::handle, "topo is ADCL_TOPOLOGY_NULL; ",
          parts.set->set.name, " needs a topology");
  for (int f = 0; f < handles.n; ++f) {
    parts.fields.push_back(field_of(handles, f));
  }
  return parts;
}

int create(const char *call, const FieldHandles &handles, ADCL_Topology topo, ADCL_Fnctset set, ADCL_Request *req) {
  return guard(call, [&] {
    require_initialized();
    auto parts = mpi::attempt([&] { return resolve(handles, topo, set, req); });
    publish(Request::create(context_for(topo, set), std::move(parts), registry().settings()), req);
  });
}

/// Arrays of the same extents and halo, as the caller gave them.
struct HaloArguments {
  int n;
  void *const *bufs;
  int ndims;
  const int *dims;
  const int *ncs;
  int order;
  int hwidth;
  const MPI_Datatype *types;
};

RequestParts halo_parts(const std::shared_ptr<data::Topology> &topology, const HaloArguments &halo) {
  require_fields(halo.n);
  require_pointer(static_cast<const void *>(halo.bufs), "bufs");
  require_pointer(halo.ncs, "ncs");
  require_pointer(static_cast<const void *>(halo.types), "types");
  require(halo.order == ADCL_ORDER_C || halo.order == ADCL_ORDER_FORTRAN, Code::argument, "order is ", halo.order,
          "; pass ADCL_ORDER_C or ADCL_ORDER_FORTRAN");
  require(halo.ndims >= 1, Code::argument, "ndims is ", halo.ndims, "; an array has at least one dimension");
  require_pointer(halo.dims, "dims");
  require(halo.hwidth >= 0, Code::argument, "hwidth is ", halo.hwidth, "; a halo width must be at least 0");
  RequestParts parts;
  parts.topology = topology;
  parts.set = registry().fnctsets.get(ADCL_FNCTSET_NEIGHBORHOOD, "set");
  const Grid grid{std::vector<int>(halo.dims, halo.dims + halo.ndims), halo.order == ADCL_ORDER_FORTRAN};
  const auto vmap = std::make_shared<codelets::HaloVmap>(halo.hwidth);
  for (int f = 0; f < halo.n; ++f) {
    for (int g = 0; g < f; ++g) {
      require(halo.bufs[f] != halo.bufs[g], Code::argument, "bufs[", g, "] and bufs[", f,
              "] are the same array; each field needs an array of its own");
    }
    const auto vector = std::make_shared<data::Vector>(grid, halo.ncs[f], halo.types[f], halo.bufs[f]);
    parts.fields.push_back({vector, vector, vmap, vmap});
  }
  return parts;
}

int halo_init(const char *call, const HaloArguments &halo, MPI_Comm cart_comm, ADCL_Request *req) {
  return guard(call, [&] {
    require_initialized();
    const auto topology = data::topology_of(cart_comm, 0);
    auto parts = mpi::attempt([&] {
      require_pointer(static_cast<const void *>(req), "req");
      return halo_parts(topology, halo);
    });
    publish(Request::create(topology->context, std::move(parts), registry().settings()), req);
  });
}

}  // namespace

std::shared_ptr<mpi::Context> context_for(ADCL_Topology topo, ADCL_Fnctset set) {
  const auto *topology = registry().topologies.find(reinterpret_cast<std::uintptr_t>(topo));
  if (topology != nullptr) {
    return topology->context;
  }
  const auto *functions = registry().fnctsets.find(reinterpret_cast<std::uintptr_t>(set));
  if (topo == ADCL_TOPOLOGY_NULL && functions != nullptr && !functions->predefined()) {
    return mpi::Context::of(MPI_COMM_WORLD);
  }
  auto meant = registry().remembered_context(topo);
  return meant != nullptr ? meant : mpi::Context::of(MPI_COMM_WORLD);
}

}  // namespace adcl::capi

using namespace adcl::capi;

extern "C" {

int ADCL_Request_create(ADCL_Vector vec, ADCL_Vmap vmap, ADCL_Topology topo, ADCL_Fnctset set, ADCL_Request *req) {
  return create("ADCL_Request_create", {1, &vec, &vmap, &vec, &vmap}, topo, set, req);
}

int ADCL_Request_create_generic(ADCL_Vector svec, ADCL_Vmap svmap, ADCL_Vector rvec, ADCL_Vmap rvmap,
                                ADCL_Topology topo, ADCL_Fnctset set, ADCL_Request *req) {
  return create("ADCL_Request_create_generic", {1, &svec, &svmap, &rvec, &rvmap}, topo, set, req);
}

int ADCL_Request_create_several(int n, const ADCL_Vector *svecs, const ADCL_Vmap *svmaps, const ADCL_Vector *rvecs,
                                const ADCL_Vmap *rvmaps, ADCL_Topology topo, ADCL_Fnctset set, ADCL_Request *req) {
  return create("ADCL_Request_create_several", {n, svecs, svmaps, rvecs, rvmaps}, topo, set, req);
}

int ADCL_Halo_init(void *buf, int ndims, const int *dims, int nc, int hwidth, MPI_Datatype type, MPI_Comm cart_comm,
                   ADCL_Request *req) {
  return halo_init("ADCL_Halo_init", {1, &buf, ndims, dims, &nc, ADCL_ORDER_C, hwidth, &type}, cart_comm, req);
}

int ADCL_Halo_init_ordered(void *buf, int ndims, const int *dims, int nc, int order, int hwidth, MPI_Datatype type,
                           MPI_Comm cart_comm, ADCL_Request *req) {
  return halo_init("ADCL_Halo_init_ordered", {1, &buf, ndims, dims, &nc, order, hwidth, &type}, cart_comm, req);
}

int ADCL_Halo_init_several(int n, void *const *bufs, int ndims, const int *dims, const int *ncs, int hwidth,
                           const MPI_Datatype *types, MPI_Comm cart_comm, ADCL_Request *req) {
  return halo_init("ADCL_Halo_init_several", {n, bufs, ndims, dims, ncs, ADCL_ORDER_C, hwidth, types}, cart_comm, req);
}

int ADCL_Halo_init_several_ordered(int n, void *const *bufs, int ndims, const int *dims, const int *ncs, int order,
                                   int hwidth, const MPI_Datatype *types, MPI_Comm cart_comm, ADCL_Request *req) {
  return halo_init("ADCL_Halo_init_several_ordered", {n, bufs, ndims, dims, ncs, order, hwidth, types}, cart_comm, req);
}

int ADCL_Request_free(ADCL_Request *req) {
  return guard("ADCL_Request_free", [&] {
    require_initialized();
    require_pointer(static_cast<void *>(req), "req");
    find_request(*req).require_idle();
    registry().requests.remove(*req, "req");
    *req = ADCL_REQUEST_NULL;
  });
}

int ADCL_Request_start(ADCL_Request req) {
  return guard("ADCL_Request_start", [&] { find_request(req).start(); });
}

int ADCL_Request_init(ADCL_Request req) {
  return guard("ADCL_Request_init", [&] { find_request(req).init(); });
}

int ADCL_Request_start_with(ADCL_Request req, const void *sbuf, void *rbuf) {
  return guard("ADCL_Request_start_with", [&] { find_request(req).start_with(sbuf, rbuf); });
}

int ADCL_Request_init_with(ADCL_Request req, const void *sbuf, void *rbuf) {
  return guard("ADCL_Request_init_with", [&] { find_request(req).init_with(sbuf, rbuf); });
}

int ADCL_Request_wait(ADCL_Request req) {
  return guard("ADCL_Request_wait", [&] { find_request(req).wait(); });
}

int ADCL_Request_test(ADCL_Request req, int *flag) {
  return guard("ADCL_Request_test", [&] {
    require_pointer(flag, "flag");
    *flag = find_request(req).test() ? 1 : 0;
  });
}

int ADCL_Request_progress(ADCL_Request req, int depth) {
  return guard("ADCL_Request_progress", [&] { find_request(req).progress(depth); });
}

int ADCL_Request_start_overlap(ADCL_Request req, ADCL_work_fnct_ptr *mid, ADCL_work_fnct_ptr *end,
                               ADCL_work_fnct_ptr *total) {
  return guard("ADCL_Request_start_overlap", [&] {
    const auto work = [req](ADCL_work_fnct_ptr *function, const char *name) {
      return [req, function, name] {
        if (function != nullptr) {
          const adcl::mpi::ApplicationCalls theirs;
          try {
            function(req);
          } catch (...) {
            throw adcl::Error(adcl::runtime::thrown_failure(adcl::text("the function '", name, "'")));
          }
        }
      };
    };
    find_request(req).start_overlap(work(mid, "mid"), work(end, "end"), work(total, "total"));
    // Not before the operation: the other ranks wait for this one's part of it.
    adcl::require(mid != nullptr && end != nullptr && total != nullptr, adcl::Code::argument,
                  "mid, end or total is a null pointer; the operation took place without it: pass functions that do "
                  "the work");
  });
}

int ADCL_Request_update(ADCL_Request req, double seconds) {
  return guard("ADCL_Request_update", [&] { find_request(req).update(seconds); });
}

int ADCL_Request_verify(ADCL_Request req) {
  return guard("ADCL_Request_verify", [&] { find_request(req).verify(); });
}

}  // extern "C"
