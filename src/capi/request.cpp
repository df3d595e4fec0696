// ADCL_Request_create to ADCL_Request_start_overlap: a request's life.
#include "ADCL.h"
#include "capi/guard.hpp"
#include "capi/registry.hpp"
#include "mpi/check.hpp"
#include "runtime/agreement.hpp"

namespace adcl::capi {
namespace {

using runtime::Request;
using runtime::RequestParts;

Request &find_request(ADCL_Request req) {
  Request *request = registry().requests.find(reinterpret_cast<std::uintptr_t>(req));
  if (request == nullptr) [[unlikely]] {
    require_initialized();
    registry().requests.throw_bad(reinterpret_cast<std::uintptr_t>(req), "req");
  }
  return *request;
}

template <typename Object>
std::shared_ptr<Object> optional_object(const HandleTable<Object> &table, const void *handle, const void *null,
                                        const char *argument) {
  return handle == null ? nullptr : table.get(handle, argument);
}

RequestParts resolve(ADCL_Vector svec, ADCL_Vmap svmap, ADCL_Vector rvec, ADCL_Vmap rvmap, ADCL_Topology topo,
                     ADCL_Fnctset set, const ADCL_Request *req) {
  require_pointer(static_cast<const void *>(req), "req");
  RequestParts parts;
  parts.set = registry().fnctsets.get(set, "set");
  parts.topology = optional_object(registry().topologies, topo, ADCL_TOPOLOGY_NULL, "topo");
  require(parts.topology != nullptr || !parts.set->predefined(), Code::handle, "topo is ADCL_TOPOLOGY_NULL; ",
          parts.set->set.name, " needs a topology");
  parts.send_vector = optional_object(registry().vectors, svec, ADCL_VECTOR_NULL, "the (send) vector");
  parts.receive_vector = optional_object(registry().vectors, rvec, ADCL_VECTOR_NULL, "the receive vector");
  parts.send_vmap = optional_object(registry().vmaps, svmap, ADCL_VMAP_NULL, "the (send) vmap");
  parts.receive_vmap = optional_object(registry().vmaps, rvmap, ADCL_VMAP_NULL, "the receive vmap");
  return parts;
}

/// The communicator on which the request is to be created, also when this rank's topology handle was freed, is null or
/// garbage: then the other ranks hear of it instead of waiting, where the guess is right.
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

void publish(const std::shared_ptr<Request> &request, ADCL_Request *req) {
  *req = to_handle<ADCL_Request>(registry().requests.insert(request));
  request->handle = *req;
}

int create(const char *call, ADCL_Vector svec, ADCL_Vmap svmap, ADCL_Vector rvec, ADCL_Vmap rvmap, ADCL_Topology topo,
           ADCL_Fnctset set, ADCL_Request *req) {
  return guard(call, [&] {
    require_initialized();
    const auto request = Request::create(
        context_for(topo, set), [&] { return resolve(svec, svmap, rvec, rvmap, topo, set, req); },
        registry().option_texts());
    publish(request, req);
  });
}

RequestParts halo_parts(const std::shared_ptr<runtime::Topology> &topology, void *buf, int ndims, const int *dims,
                        int nc, int order, int hwidth, MPI_Datatype type) {
  require(order == ADCL_ORDER_C || order == ADCL_ORDER_FORTRAN, Code::argument, "order is ", order,
          "; pass ADCL_ORDER_C or ADCL_ORDER_FORTRAN");
  require(ndims >= 1, Code::argument, "ndims is ", ndims, "; an array has at least one dimension");
  require_pointer(dims, "dims");
  require(hwidth >= 0, Code::argument, "hwidth is ", hwidth, "; a halo width is at least 0");
  RequestParts parts;
  parts.topology = topology;
  parts.set = registry().fnctsets.get(ADCL_FNCTSET_NEIGHBORHOOD, "set");
  Grid grid{std::vector<int>(dims, dims + ndims), order == ADCL_ORDER_FORTRAN};
  parts.send_vector = std::make_shared<runtime::Vector>(std::move(grid), nc, type, buf);
  parts.receive_vector = parts.send_vector;
  parts.send_vmap = std::make_shared<runtime::Vmap>();
  parts.send_vmap->uniform_width = hwidth;
  parts.receive_vmap = parts.send_vmap;
  return parts;
}

int halo_init(const char *call, void *buf, int ndims, const int *dims, int nc, int order, int hwidth, MPI_Datatype type,
              MPI_Comm cart_comm, ADCL_Request *req) {
  return guard(call, [&] {
    require_initialized();
    require(cart_comm != MPI_COMM_NULL, Code::argument, "the communicator is MPI_COMM_NULL");
    const auto topology = runtime::topology_of(cart_comm, 0);
    const auto request = Request::create(
        topology->context,
        [&] {
          require_pointer(static_cast<const void *>(req), "req");
          return halo_parts(topology, buf, ndims, dims, nc, order, hwidth, type);
        },
        registry().option_texts());
    publish(request, req);
  });
}

}  // namespace
}  // namespace adcl::capi

using namespace adcl::capi;

extern "C" {

int ADCL_Request_create(ADCL_Vector vec, ADCL_Vmap vmap, ADCL_Topology topo, ADCL_Fnctset set, ADCL_Request *req) {
  return create("ADCL_Request_create", vec, vmap, vec, vmap, topo, set, req);
}

int ADCL_Request_create_generic(ADCL_Vector svec, ADCL_Vmap svmap, ADCL_Vector rvec, ADCL_Vmap rvmap,
                                ADCL_Topology topo, ADCL_Fnctset set, ADCL_Request *req) {
  return create("ADCL_Request_create_generic", svec, svmap, rvec, rvmap, topo, set, req);
}

int ADCL_Halo_init(void *buf, int ndims, const int *dims, int nc, int hwidth, MPI_Datatype type, MPI_Comm cart_comm,
                   ADCL_Request *req) {
  return halo_init("ADCL_Halo_init", buf, ndims, dims, nc, ADCL_ORDER_C, hwidth, type, cart_comm, req);
}

int ADCL_Halo_init_ordered(void *buf, int ndims, const int *dims, int nc, int order, int hwidth, MPI_Datatype type,
                           MPI_Comm cart_comm, ADCL_Request *req) {
  return halo_init("ADCL_Halo_init_ordered", buf, ndims, dims, nc, order, hwidth, type, cart_comm, req);
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
    const auto work = [req](ADCL_work_fnct_ptr *function) {
      return [req, function] {
        if (function != nullptr) {
          function(req);
        }
      };
    };
    find_request(req).start_overlap(work(mid), work(end), work(total));
    // Not before the operation: the other ranks wait for this one's part of it.
    adcl::require(mid != nullptr && end != nullptr && total != nullptr, adcl::Code::argument,
                  "mid, end or total is a null pointer; the operation took place without it: pass functions that do "
                  "the work");
  });
}

int ADCL_Request_update(ADCL_Request req, double seconds) {
  return guard("ADCL_Request_update", [&] { find_request(req).update(seconds); });
}

}  // extern "C"
