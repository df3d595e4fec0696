#include "shim.hpp"

using namespace adcl::fortran;

namespace {

/// What the library cannot check: how large and how contiguous the array is.
void require_usable(const CFI_cdesc_t* buf, const std::vector<int>& dims, int nc, MPI_Datatype type) {
  void* base = address(buf, "ADCL_Halo_init: buf");
  ADCL_Vector described = ADCL_VECTOR_NULL;
  const auto ndims = static_cast<int>(dims.size());
  if (ADCL_Vector_register_ordered(ndims, dims.data(), nc, ADCL_ORDER_FORTRAN, type, base, &described) !=
      ADCL_SUCCESS) {
    return;  // The library will say why.
  }
  ADCL_Vector_deregister(&described);
  require_room(buf, "ADCL_Halo_init: buf", Layout(dims, nc, ADCL_ORDER_FORTRAN, type));
}

}  // namespace

ADCL_F_API void adcl_f_halo_init(const CFI_cdesc_t* buf, const int* ndims, const CFI_cdesc_t* dims, const int* nc,
                                 const int* hwidth, const MPI_Fint* type, const MPI_Fint* cart_comm, int* req,
                                 int* ierror) {
  *req = integer(ADCL_REQUEST_NULL);
  call(ierror, [&] {
    ADCL_Request created = ADCL_REQUEST_NULL;
    const auto init = [&](void* base, const int* extents) {
      return ADCL_Halo_init_ordered(base, *ndims, extents, *nc, ADCL_ORDER_FORTRAN, *hwidth, datatype(type),
                                    communicator(cart_comm), &created);
    };
    std::vector<int> extents;
    try {
      extents = gather<int>(dims, *ndims, "ADCL_Halo_init: dims");
      require_usable(buf, extents, *nc, datatype(type));
    } catch (const Error& error) {
      fail_on_all_ranks(error, [&] { return init(nullptr, nullptr); });
    }
    const int code = init(buf->base_addr, extents.data());
    *req = integer(created);
    return code;
  });
}
