#include "shim.hpp"

using namespace adcl::fortran;

namespace {

int total(const std::vector<int>& counts) {
  int sum = 0;
  for (const int count : counts) {
    sum += count > 0 ? count : 0;
  }
  return sum;
}

// Fortran counts grid points from 1, the library from 0.
std::vector<int> zero_based(const CFI_cdesc_t* indices, int count, const char* name) {
  auto values = gather<int>(indices, count, name);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 1) {
      throw Error(ADCL_ERR_ARGUMENT, "ADCL_Vmap_graph_allocate: " + std::string(name) + "(" + std::to_string(i + 1) +
                                         ") is " + std::to_string(values[i]) + "; the first grid point is 1");
    }
    --values[i];
  }
  return values;
}

}  // namespace

ADCL_F_API void adcl_f_vmap_halo_allocate(const int* hwidth, int* vmap, int* ierror) {
  call(ierror, [&] {
    ADCL_Vmap created = ADCL_VMAP_NULL;
    const int code = ADCL_Vmap_halo_allocate(*hwidth, &created);
    *vmap = integer(created);
    return code;
  });
}

ADCL_F_API void adcl_f_vmap_halo_allocate_generic(const int* ndims, const CFI_cdesc_t* lwidths,
                                                  const CFI_cdesc_t* rwidths, int* vmap, int* ierror) {
  *vmap = integer(ADCL_VMAP_NULL);
  call(ierror, [&] {
    const auto left = gather<int>(lwidths, *ndims, "ADCL_Vmap_halo_allocate_generic: lwidths");
    const auto right = gather<int>(rwidths, *ndims, "ADCL_Vmap_halo_allocate_generic: rwidths");
    ADCL_Vmap created = ADCL_VMAP_NULL;
    const int code = ADCL_Vmap_halo_allocate_generic(*ndims, left.data(), right.data(), &created);
    *vmap = integer(created);
    return code;
  });
}

ADCL_F_API void adcl_f_vmap_graph_allocate(const int* nsend, const CFI_cdesc_t* scounts, const CFI_cdesc_t* sindices,
                                           const int* nrecv, const CFI_cdesc_t* rcounts, const CFI_cdesc_t* rindices,
                                           int* vmap, int* ierror) {
  *vmap = integer(ADCL_VMAP_NULL);
  call(ierror, [&] {
    const auto send_counts = gather<int>(scounts, *nsend, "ADCL_Vmap_graph_allocate: scounts");
    const auto receive_counts = gather<int>(rcounts, *nrecv, "ADCL_Vmap_graph_allocate: rcounts");
    const auto sent = zero_based(sindices, total(send_counts), "sindices");
    const auto received = zero_based(rindices, total(receive_counts), "rindices");
    ADCL_Vmap created = ADCL_VMAP_NULL;
    const int code = ADCL_Vmap_graph_allocate(*nsend, send_counts.data(), sent.data(), *nrecv, receive_counts.data(),
                                              received.data(), &created);
    *vmap = integer(created);
    return code;
  });
}

ADCL_F_API void adcl_f_vmap_free(int* vmap, int* ierror) {
  call(ierror, [&] { return release(ADCL_Vmap_free, vmap); });
}
