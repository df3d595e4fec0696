#include "shim.hpp"

using namespace adcl::fortran;

namespace {

template <typename Create>
void create(int* topo, int* ierror, const Create& create) {
  *topo = integer(ADCL_TOPOLOGY_NULL);
  call(ierror, [&] {
    ADCL_Topology created = ADCL_TOPOLOGY_NULL;
    const int code = create(&created);
    *topo = integer(created);
    return code;
  });
}

}  // namespace

ADCL_F_API void adcl_f_topology_create(const MPI_Fint* comm, const int* root, int* topo, int* ierror) {
  create(topo, ierror, [&](ADCL_Topology* out) { return ADCL_Topology_create(communicator(comm), *root, out); });
}

ADCL_F_API void adcl_f_topology_create_rootless(const MPI_Fint* comm, int* topo, int* ierror) {
  create(topo, ierror, [&](ADCL_Topology* out) { return ADCL_Topology_create(communicator(comm), 0, out); });
}

ADCL_F_API void adcl_f_topology_create_generic(const int* ndims, const CFI_cdesc_t* lneighbors,
                                               const CFI_cdesc_t* rneighbors, const CFI_cdesc_t* coords,
                                               const int* direction, const MPI_Fint* comm, int* topo, int* ierror) {
  create(topo, ierror, [&](ADCL_Topology* out) {
    std::vector<int> left;
    std::vector<int> right;
    std::vector<int> position;
    try {
      left = gather<int>(lneighbors, *ndims, "ADCL_Topology_create_generic: lneighbors");
      right = gather<int>(rneighbors, *ndims, "ADCL_Topology_create_generic: rneighbors");
      if (coords != nullptr) {
        position = gather<int>(coords, *ndims, "ADCL_Topology_create_generic: coords");
      }
    } catch (const Error& error) {
      fail_on_all_ranks(error, [&] {
        return ADCL_Topology_create_generic(*ndims, nullptr, nullptr, nullptr, *direction, communicator(comm), out);
      });
    }
    return ADCL_Topology_create_generic(*ndims, left.data(), right.data(),
                                        coords == nullptr ? nullptr : position.data(), *direction, communicator(comm),
                                        out);
  });
}

ADCL_F_API void adcl_f_topology_create_extended(const MPI_Fint* comm, int* topo, int* ierror) {
  create(topo, ierror, [&](ADCL_Topology* out) { return ADCL_Topology_create_extended(communicator(comm), out); });
}

ADCL_F_API void adcl_f_topology_create_graph(const MPI_Fint* comm, int* topo, int* ierror) {
  create(topo, ierror, [&](ADCL_Topology* out) { return ADCL_Topology_create_graph(communicator(comm), out); });
}

ADCL_F_API void adcl_f_topology_free(int* topo, int* ierror) {
  call(ierror, [&] { return release(ADCL_Topology_free, topo); });
}
