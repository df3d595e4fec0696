// ADCL_Topology_*: process topologies.
#include "ADCL.h"
#include "capi/guard.hpp"
#include "capi/registry.hpp"
#include "mpi/agreement.hpp"

namespace adcl::capi {
namespace {

/// Creates a topology collectively. The caller detects a null result pointer only after taking part, because the other
/// ranks wait.
template <typename Make>
int create(const char *call, ADCL_Topology *topo, Make &&make) {
  return guard(call, [&] {
    require_initialized();
    const auto object = make();
    mpi::do_together(*object->context, [&] { require_pointer(topo, "topo"); });
    *topo = to_handle<ADCL_Topology>(registry().topologies.insert(object));
  });
}

}  // namespace
}  // namespace adcl::capi

using namespace adcl::capi;

extern "C" {

int ADCL_Topology_create(MPI_Comm comm, int root, ADCL_Topology *topo) {
  return create("ADCL_Topology_create", topo, [&] { return adcl::data::topology_of(comm, root); });
}

int ADCL_Topology_create_generic(int ndims, const int *lneighbors, const int *rneighbors, const int *coords,
                                 int direction, MPI_Comm comm, ADCL_Topology *topo) {
  return create("ADCL_Topology_create_generic", topo,
                [&] { return adcl::data::generic_topology(ndims, lneighbors, rneighbors, coords, direction, comm); });
}

int ADCL_Topology_create_extended(MPI_Comm cart_comm, ADCL_Topology *topo) {
  return create("ADCL_Topology_create_extended", topo, [&] { return adcl::data::extended_topology(cart_comm); });
}

int ADCL_Topology_free(ADCL_Topology *topo) {
  return guard("ADCL_Topology_free", [&] {
    require_initialized();
    require_pointer(topo, "topo");
    const auto object = registry().topologies.remove(*topo, "topo");
    registry().remember_context(*topo, object->context);
    *topo = ADCL_TOPOLOGY_NULL;
  });
}

}  // extern "C"
