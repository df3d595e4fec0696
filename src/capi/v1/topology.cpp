// ADCL_v1_Topology_* and ADCL_v1_Timer_*.
#include <mpi.h>

#include "capi/guard.hpp"
#include "capi/v1/codes.hpp"

using namespace adcl::capi;
using namespace adcl::capi::v1;

namespace {

int communicator_code(MPI_Comm comm) { return comm == MPI_COMM_NULL ? ADCL_INVALID_COMM : ADCL_INVALID_ARG; }

}  // namespace

extern "C" {

int ADCL_v1_Topology_create(MPI_Comm comm, ADCL_Topology* topo) {
  return v1_code(ADCL_Topology_create(comm, 0, topo), ADCL_INVALID_TOPOLOGY, communicator_code(comm));
}

int ADCL_v1_Topology_create_generic(int ndims, int nneigh, const int* lneighbors, const int* /*flip*/,
                                    const int* rneighbors, const int* coords, int direction, MPI_Comm comm,
                                    ADCL_Topology* topo) {
  if (ndims == 0 && nneigh == 0) {
    return ADCL_v1_Topology_create(comm, topo);
  }
  if (nneigh != ndims) {
    const int code = guard("ADCL_Topology_create_generic", [&] {
      adcl::require(false, adcl::Code::unsupported, "nneigh is ", nneigh, " and ndims is ", ndims,
                    "; only the pairs of neighbors along the axes are supported, one per dimension: use "
                    "ADCL_Topology_create_extended for diagonal neighbors, or a distributed graph communicator");
    });
    return v1_code(code, ADCL_INVALID_TOPOLOGY);
  }
  int argument_code = communicator_code(comm);
  if (ndims < 0) {
    argument_code = ADCL_INVALID_NDIMS;
  } else if (direction < ADCL_DIRECTION_BOTH || direction > ADCL_DIRECTION_RIGHT_TO_LEFT) {
    argument_code = ADCL_INVALID_DIRECTION;
  }
  return v1_code(ADCL_Topology_create_generic(ndims, lneighbors, rneighbors, coords, direction, comm, topo),
                 ADCL_INVALID_TOPOLOGY, argument_code);
}

int ADCL_v1_Topology_create_extended(MPI_Comm cart_comm, ADCL_Topology* topo) {
  return v1_code(ADCL_Topology_create_extended(cart_comm, topo), ADCL_INVALID_TOPOLOGY, communicator_code(cart_comm));
}

int ADCL_v1_Topology_free(ADCL_Topology* topo) { return v1_code(ADCL_Topology_free(topo), ADCL_INVALID_TOPOLOGY); }

int ADCL_v1_Timer_create(int n, const ADCL_Request* reqs, ADCL_Timer* timer) {
  return v1_code(ADCL_Timer_create(n, reqs, timer), ADCL_INVALID_REQUEST);
}

int ADCL_v1_Timer_free(ADCL_Timer* timer) { return v1_code(ADCL_Timer_free(timer), ADCL_INVALID_TIMER); }

int ADCL_v1_Timer_start(ADCL_Timer timer) { return v1_code(ADCL_Timer_start(timer), ADCL_INVALID_TIMER); }

int ADCL_v1_Timer_stop(ADCL_Timer timer) { return v1_code(ADCL_Timer_stop(timer), ADCL_INVALID_TIMER); }

}  // extern "C"
