// ADCL_Topology_*: process topologies.
#include "ADCL.h"
#include "capi/objects.hpp"
#include "mpi/agreement.hpp"

namespace adcl::capi {
namespace {

/// Creates a topology collectively. The caller detects a null result pointer only after taking part, because the other
/// ranks wait.
template <typename Make>
int create(const char* call, ADCL_Topology* topo, const Make& make) {
  return guard_initialized(call, [&] {
    const auto object = make();
    mpi::run_collectively(object->context->comm(), [&] { require_pointer(topo, "topo"); });
    *topo = registry().topologies.insert(object);
  });
}

}  // namespace
}  // namespace adcl::capi

using namespace adcl;
using namespace adcl::capi;

extern "C" {

int ADCL_Topology_create(MPI_Comm comm, int root, ADCL_Topology* topo) {
  return create(__func__, topo, [&] { return data::topology_of(comm, root); });
}

int ADCL_Topology_create_generic(int ndims, const int* lneighbors, const int* rneighbors, const int* coords,
                                 int direction, MPI_Comm comm, ADCL_Topology* topo) {
  return create(__func__, topo,
                [&] { return data::generic_topology(ndims, lneighbors, rneighbors, coords, direction, comm); });
}

int ADCL_Topology_create_extended(MPI_Comm cart_comm, ADCL_Topology* topo) {
  return create(__func__, topo, [&] { return data::extended_topology(cart_comm); });
}

int ADCL_Topology_free(ADCL_Topology* topo) {
  return free_object(__func__, &Registry::topologies, topo, "topo",
                     [&](const data::Topology& topology) { registry().remember_context(*topo, topology.context); });
}

}  // extern "C"
