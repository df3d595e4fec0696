/// \file publish.hpp
/// Creates requests and their handles.
#pragma once

#include <memory>

#include "capi/registry.hpp"

namespace adcl::capi {

/// Returns the context of the communicator on which to create the request: the topology's, even if this rank has freed
/// the topology recently, or MPI_COMM_WORLD for a user-defined set without a topology. For any other handle the
/// participating ranks are unknown: throws the error of \p parts, on this rank only.
std::shared_ptr<mpi::Context> context_for(ADCL_Topology topo, ADCL_Fnctset set,
                                          const mpi::Attempt<runtime::RequestParts>& parts);

inline void publish(const std::shared_ptr<runtime::Request>& request, ADCL_Request* req) {
  *req = to_handle<ADCL_Request>(registry().requests.insert(request));
  request->handle = *req;
}

}  // namespace adcl::capi
