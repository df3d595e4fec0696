/// \file publish.hpp
/// Where a new request is created, and how it gets its handle.
#pragma once

#include <memory>

#include "capi/registry.hpp"

namespace adcl::capi {

/// The communicator on which the request is to be created: that of the topology, also if this rank has freed it lately,
/// or MPI_COMM_WORLD for a set of the application's own without a topology. Nothing says which ranks take part for any
/// other handle: throws the error of \p parts, on this rank alone.
std::shared_ptr<mpi::Context> context_for(ADCL_Topology topo, ADCL_Fnctset set,
                                          const mpi::Attempt<runtime::RequestParts>& parts);

inline void publish(const std::shared_ptr<runtime::Request>& request, ADCL_Request* req) {
  *req = to_handle<ADCL_Request>(registry().requests.insert(request));
  request->handle = *req;
}

}  // namespace adcl::capi
