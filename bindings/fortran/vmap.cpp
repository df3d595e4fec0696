#include "collectives.hpp"
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

/// Makes a vmap by \p make, which is told where to put it.
template <typename Make>
void allocate(int* vmap, int* ierror, const Make& make) noexcept {
  *vmap = integer(ADCL_VMAP_NULL);
  call(ierror, [&] {
    ADCL_Vmap created = ADCL_VMAP_NULL;
    const int code = make(&created);
    *vmap = integer(created);
    return code;
  });
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

ADCL_F_API void adcl_f_vmap_all_allocate(const int* count, int* vmap, int* ierror) {
  allocate(vmap, ierror, [&](ADCL_Vmap* created) { return ADCL_Vmap_all_allocate(*count, created); });
}

ADCL_F_API void adcl_f_vmap_reduce_allocate(const int* count, const MPI_Fint* op, int* vmap, int* ierror) {
  allocate(vmap, ierror, [&](ADCL_Vmap* created) { return ADCL_Vmap_reduce_allocate(*count, operation(op), created); });
}

ADCL_F_API void adcl_f_vmap_list_allocate(const int* size, const CFI_cdesc_t* counts, const CFI_cdesc_t* displs,
                                          int* vmap, int* ierror) {
  allocate(vmap, ierror, [&](ADCL_Vmap* created) {
    const auto lengths = gather<int>(counts, *size, "ADCL_Vmap_list_allocate: counts");
    const auto places = gather<int>(displs, *size, "ADCL_Vmap_list_allocate: displs");
    return ADCL_Vmap_list_allocate(*size, lengths.data(), places.data(), created);
  });
}

ADCL_F_API void adcl_f_vmap_listw_allocate(const int* size, const CFI_cdesc_t* counts, const CFI_cdesc_t* displs,
                                           const CFI_cdesc_t* types, int* vmap, int* ierror) {
  allocate(vmap, ierror, [&](ADCL_Vmap* created) {
    const auto lengths = gather<int>(counts, *size, "ADCL_Vmap_listw_allocate: counts");
    const auto places = gather<int>(displs, *size, "ADCL_Vmap_listw_allocate: displs");
    const auto converted = datatypes(gather<MPI_Fint>(types, *size, "ADCL_Vmap_listw_allocate: types"));
    return ADCL_Vmap_listw_allocate(*size, lengths.data(), places.data(), converted.data(), created);
  });
}

ADCL_F_API void adcl_f_vmap_inplace_allocate(int* vmap, int* ierror) {
  allocate(vmap, ierror, [&](ADCL_Vmap* created) { return ADCL_Vmap_inplace_allocate(created); });
}

ADCL_F_API void adcl_f_vmap_alltoall_allocate(const int* scount, const int* rcount, int* vmap, int* ierror) {
  allocate(vmap, ierror, [&](ADCL_Vmap* created) { return ADCL_Vmap_alltoall_allocate(*scount, *rcount, created); });
}

ADCL_F_API void adcl_f_vmap_redscatter_allocate(const int* size, const CFI_cdesc_t* counts, const MPI_Fint* op,
                                                int* vmap, int* ierror) {
  allocate(vmap, ierror, [&](ADCL_Vmap* created) {
    const auto lengths = gather<int>(counts, *size, "ADCL_Vmap_redscatter_allocate: counts");
    return ADCL_Vmap_redscatter_allocate(*size, lengths.data(), operation(op), created);
  });
}

ADCL_F_API void adcl_f_vmap_free(int* vmap, int* ierror) {
  call(ierror, [&] { return release(ADCL_Vmap_free, vmap); });
}
