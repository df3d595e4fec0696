// ADCL_Request_create to ADCL_Request_start_overlap: creation and use of requests.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "ADCL.h"
#include "capi/objects.hpp"
#include "codelets/neighborhood/vmaps.hpp"
#include "mpi/agreement.hpp"
#include "mpi/check.hpp"
#include "request/user_call.hpp"

namespace adcl::capi {
namespace {

using runtime::Request;
using runtime::RequestParts;

inline Request &find_request(ADCL_Request req) { return find_object(&Registry::requests, req, "req"); }

/// A call that is a member function of the request.
template <auto Method, typename... Arguments>
int call_request(const char *call, ADCL_Request req, Arguments... arguments) {
  return guard(call, [&] { (find_request(req).*Method)(arguments...); });
}

struct FieldHandles {
  int n;
  const ADCL_Vector *svecs;
  const ADCL_Vmap *svmaps;
  const ADCL_Vector *rvecs;
  const ADCL_Vmap *rvmaps;
};

data::Field field_of(const FieldHandles &handles, int f) {
  // Omit the field number if there is only one field.
  const auto named = [&](const char *name) { return handles.n > 1 ? text(name, " of field ", f) : text(name); };
  const auto vector = [&](ADCL_Vector handle, const char *name) {
    return registry().vectors.get_optional(handle, named(name).c_str());
  };
  const auto vmap = [&](ADCL_Vmap handle, const char *name) {
    return registry().vmaps.get_optional(handle, named(name).c_str());
  };
  return {vector(handles.svecs[f], "the (send) vector"), vector(handles.rvecs[f], "the receive vector"),
          vmap(handles.svmaps[f], "the (send) vmap"), vmap(handles.rvmaps[f], "the receive vmap")};
}

RequestParts resolve(const FieldHandles &handles, ADCL_Topology topo, ADCL_Fnctset set, const ADCL_Request *req) {
  require_pointer(req, "req");
  require(handles.n >= 1, Code::argument, "n is ", handles.n, "; a request has at least one field");
  require_pointer(handles.svecs, "svecs");
  require_pointer(handles.svmaps, "svmaps");
  require_pointer(handles.rvecs, "rvecs");
  require_pointer(handles.rvmaps, "rvmaps");
  RequestParts parts;
  parts.set = registry().fnctsets.get(set, "set");
  parts.topology = registry().topologies.get_optional(topo, "topo");
  require(parts.topology != nullptr || !parts.set->predefined(), Code::handle, "topo is ADCL_TOPOLOGY_NULL; ",
          parts.set->set.name, " needs a topology");
  for (int f = 0; f < handles.n; ++f) {
    parts.fields.push_back(field_of(handles, f));
  }
  return parts;
}

int create(const char *call, const FieldHandles &handles, ADCL_Topology topo, ADCL_Fnctset set, ADCL_Request *req) {
  return guard_initialized(
      call, [&] { create_request(topo, set, mpi::attempt([&] { return resolve(handles, topo, set, req); }), req); });
}

/// Member \p name of descriptor \p i of a list: "buf", then "buf of field 1".
std::string member_name(const char *name, std::size_t i) { return i == 0 ? name : name + (" of field " + text(i)); }

/// The size of ADCL_Halo in its first version. Never changes, so that programs built with that version still run.
constexpr std::size_t first_halo_size = offsetof(ADCL_Halo, next) + sizeof(const ADCL_Halo *);
constexpr std::size_t largest_halo_size = 4096;

/// A copy of \p given, in which members that the program's header lacks are 0. Throws Error(unsupported) if the program
/// sets a member that this library lacks.
ADCL_Halo known_members(const ADCL_Halo &given) {
  require(given.size >= first_halo_size && given.size <= largest_halo_size, Code::argument, "halo->size is ",
          given.size, "; no version of ADCL has this size: initialize the ADCL_Halo with ADCL_HALO");
  const auto *const bytes = reinterpret_cast<const unsigned char *>(&given);
  ADCL_Halo known{};
  const std::size_t common = std::min(given.size, sizeof known);
  require(std::all_of(bytes + common, bytes + given.size, [](unsigned char byte) { return byte == 0; }),
          Code::unsupported, "the program sets a member of ADCL_Halo that this library, ADCL ", ADCL_VERSION_MAJOR, ".",
          ADCL_VERSION_MINOR,
          ", does not have; run the program with the ADCL that it was compiled with, or with a later version");
  std::memcpy(&known, bytes, common);
  return known;
}

/// Returns \p given and the descriptors linked from it. Throws Error(argument) if an array is null or occurs twice, as
/// in a circular list.
std::vector<ADCL_Halo> linked_halos(const ADCL_Halo *given) {
  std::vector<ADCL_Halo> halos;
  for (; given != nullptr; given = halos.back().next) {
    const ADCL_Halo halo = known_members(*given);
    require_pointer(halo.buf, member_name("buf", halos.size()).c_str());
    for (std::size_t i = 0; i < halos.size(); ++i) {
      require(halos[i].buf != halo.buf, Code::argument, member_name("buf", i), " and ",
              member_name("buf", halos.size()), " are the same array; each field needs its own array");
    }
    halos.push_back(halo);
  }
  return halos;
}

data::Field halo_field(const ADCL_Halo &halo, std::size_t i) {
  require(halo.order == ADCL_ORDER_C || halo.order == ADCL_ORDER_FORTRAN, Code::argument, member_name("order", i),
          " is ", halo.order, "; use ADCL_ORDER_C or ADCL_ORDER_FORTRAN");
  require(halo.ndims >= 1, Code::argument, member_name("ndims", i), " is ", halo.ndims,
          "; an array has at least one dimension");
  require_pointer(halo.dims, member_name("dims", i).c_str());
  require(halo.hwidth >= 0, Code::argument, member_name("hwidth", i), " is ", halo.hwidth,
          "; a halo width must be at least 0");
  const Grid grid{std::vector<int>(halo.dims, halo.dims + halo.ndims), halo.order == ADCL_ORDER_FORTRAN};
  const auto vector = std::make_shared<data::Vector>(grid, halo.nc, halo.type, halo.buf);
  const auto vmap = std::make_shared<codelets::HaloVmap>(halo.hwidth);
  return {vector, vector, vmap, vmap};
}

RequestParts halo_parts(const std::shared_ptr<data::Topology> &topology, const ADCL_Halo *halo) {
  require_pointer(halo, "halo");
  RequestParts parts;
  parts.topology = topology;
  parts.set = registry().fnctsets.get(ADCL_FNCTSET_NEIGHBORHOOD, "set");
  for (const ADCL_Halo &one : linked_halos(halo)) {
    parts.fields.push_back(halo_field(one, parts.fields.size()));
  }
  return parts;
}

}  // namespace

void create_request(const std::shared_ptr<mpi::Context> &context, mpi::Attempt<RequestParts> parts, ADCL_Request *req) {
  const auto request = Request::create(context, std::move(parts), registry().settings());
  *req = registry().requests.insert(request);
  request->handle = *req;
}

void create_request(ADCL_Topology topo, ADCL_Fnctset set, mpi::Attempt<RequestParts> parts, ADCL_Request *req) {
  const auto *topology = registry().topologies.find(topo);
  const auto *functions = registry().fnctsets.find(set);
  const bool on_world = topo == ADCL_TOPOLOGY_NULL && functions != nullptr && !functions->predefined();
  const auto context = topology != nullptr ? topology->context
                       : on_world          ? mpi::Context::of(MPI_COMM_WORLD)
                                           : registry().context_of_freed(topo);
  if (context == nullptr) {
    throw Error(std::get<Error>(parts));
  }
  create_request(context, std::move(parts), req);
}

}  // namespace adcl::capi

using namespace adcl;
using namespace adcl::capi;

extern "C" {

int ADCL_Request_create(ADCL_Vector vec, ADCL_Vmap vmap, ADCL_Topology topo, ADCL_Fnctset set, ADCL_Request *req) {
  return create(__func__, {1, &vec, &vmap, &vec, &vmap}, topo, set, req);
}

int ADCL_Request_create_generic(ADCL_Vector svec, ADCL_Vmap svmap, ADCL_Vector rvec, ADCL_Vmap rvmap,
                                ADCL_Topology topo, ADCL_Fnctset set, ADCL_Request *req) {
  return create(__func__, {1, &svec, &svmap, &rvec, &rvmap}, topo, set, req);
}

int ADCL_Request_create_several(int n, const ADCL_Vector *svecs, const ADCL_Vmap *svmaps, const ADCL_Vector *rvecs,
                                const ADCL_Vmap *rvmaps, ADCL_Topology topo, ADCL_Fnctset set, ADCL_Request *req) {
  return create(__func__, {n, svecs, svmaps, rvecs, rvmaps}, topo, set, req);
}

int ADCL_Halo_init(const ADCL_Halo *halo, MPI_Comm cart_comm, ADCL_Request *req) {
  return create_request_on(__func__, cart_comm, 0, req,
                           [&](const auto &topology) { return halo_parts(topology, halo); });
}

int ADCL_Request_free(ADCL_Request *req) {
  return free_object(__func__, &Registry::requests, req, "req",
                     [](const runtime::Request &request) { request.require_idle(); });
}

int ADCL_Request_start(ADCL_Request req) { return call_request<&Request::start>(__func__, req); }

int ADCL_Request_init(ADCL_Request req) { return call_request<&Request::init>(__func__, req); }

int ADCL_Request_start_with(ADCL_Request req, const void *sbuf, void *rbuf) {
  return call_request<&Request::start_with>(__func__, req, sbuf, rbuf);
}

int ADCL_Request_init_with(ADCL_Request req, const void *sbuf, void *rbuf) {
  return call_request<&Request::init_with>(__func__, req, sbuf, rbuf);
}

int ADCL_Request_wait(ADCL_Request req) { return call_request<&Request::wait>(__func__, req); }

int ADCL_Request_test(ADCL_Request req, int *flag) {
  return guard(__func__, [&] {
    require_pointer(flag, "flag");
    *flag = find_request(req).test() ? 1 : 0;
  });
}

int ADCL_Request_progress(ADCL_Request req, int depth) {
  return call_request<&Request::progress>(__func__, req, depth);
}

int ADCL_Request_start_overlap(ADCL_Request req, ADCL_work_fnct_ptr *mid, ADCL_work_fnct_ptr *end,
                               ADCL_work_fnct_ptr *total) {
  return guard(__func__, [&] {
    const auto work = [req](ADCL_work_fnct_ptr *function, const char *name) {
      return [req, function, name] {
        if (function != nullptr) {
          const mpi::ApplicationCalls theirs;
          try {
            function(req);
          } catch (...) {
            throw Error(runtime::thrown_failure(text("the function '", name, "'")));
          }
        }
      };
    };
    find_request(req).start_overlap(work(mid, "mid"), work(end, "end"), work(total, "total"));
    // Check after the operation, because the other ranks wait for this rank.
    require(mid != nullptr && end != nullptr && total != nullptr, Code::argument,
            "mid, end or total is a null pointer; the operation is complete, but this work function was not called: "
            "pass functions that do the work");
  });
}

int ADCL_Request_update(ADCL_Request req, double seconds) {
  return call_request<&Request::update>(__func__, req, seconds);
}

int ADCL_Request_verify(ADCL_Request req) { return call_request<&Request::verify>(__func__, req); }

}  // extern "C"
