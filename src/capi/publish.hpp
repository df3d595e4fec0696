/// \file publish.hpp
/// Where a new request is created, and how it gets its handle.
#pragma once

#include <memory>

#include "capi/registry.hpp"

namespace adcl::capi {

/// The communicator on which the request is to be created, also when this rank's topology handle was freed, is null or
/// garbage: then the other ranks hear of it instead of waiting, where the guess is right.
std::shared_ptr<mpi::Context> context_for(ADCL_Topology topo, ADCL_Fnctset set);

inline void publish(const std::shared_ptr<runtime::Request>& request, ADCL_Request* req) {
  *req = to_handle<ADCL_Request>(registry().requests.insert(request));
  request->handle = *req;
}

}  // namespace adcl::capi
