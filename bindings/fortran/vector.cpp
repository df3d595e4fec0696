#include "shim.hpp"

using namespace adcl::fortran;

namespace {

int register_vector(const char* name, const int* ndims, const CFI_cdesc_t* dims, const int* nc, int order,
                    const MPI_Fint* type, const CFI_cdesc_t* data, int* vec) {
  *vec = integer(ADCL_VECTOR_NULL);
  const std::string call_name = name;
  const auto extents = gather<int>(dims, *ndims, (call_name + ": dims").c_str());
  void* base = address(data, (call_name + ": data").c_str());
  ADCL_Vector created = ADCL_VECTOR_NULL;
  const int code = ADCL_Vector_register_ordered(*ndims, extents.data(), *nc, order, datatype(type), base, &created);
  if (code != ADCL_SUCCESS) {
    return code;
  }
  try {
    require_room(data, (call_name + ": data").c_str(), extents, *nc, datatype(type));
  } catch (...) {
    ADCL_Vector_deregister(&created);
    throw;
  }
  *vec = integer(created);
  return ADCL_SUCCESS;
}

}  // namespace

ADCL_F_API void adcl_f_vector_register(const int* ndims, const CFI_cdesc_t* dims, const int* nc, const MPI_Fint* type,
                                       const CFI_cdesc_t* data, int* vec, int* ierror) {
  call(ierror,
       [&] { return register_vector("ADCL_Vector_register", ndims, dims, nc, ADCL_ORDER_FORTRAN, type, data, vec); });
}

ADCL_F_API void adcl_f_vector_register_ordered(const int* ndims, const CFI_cdesc_t* dims, const int* nc,
                                               const int* order, const MPI_Fint* type, const CFI_cdesc_t* data,
                                               int* vec, int* ierror) {
  call(ierror,
       [&] { return register_vector("ADCL_Vector_register_ordered", ndims, dims, nc, *order, type, data, vec); });
}

ADCL_F_API void adcl_f_vector_deregister(int* vec, int* ierror) {
  call(ierror, [&] { return release(ADCL_Vector_deregister, vec); });
}

ADCL_F_API void adcl_f_vector_free(int* vec, int* ierror) {
  call(ierror, [&] { return release(ADCL_Vector_free, vec); });
}

ADCL_F_API void adcl_f_vector_rebind(const int* vec, const CFI_cdesc_t* data, int* ierror) {
  call(ierror, [&] {
    void* base = nullptr;
    try {
      base = address(data, "ADCL_Vector_rebind: data");
    } catch (const Error& error) {
      fail_on_all_ranks(error, [&] { return ADCL_Vector_rebind(handle<ADCL_Vector>(vec), nullptr); });
    }
    return ADCL_Vector_rebind(handle<ADCL_Vector>(vec), base);
  });
}

ADCL_F_API void adcl_f_vector_get_data(const int* vec, void** data, int* ierror) {
  preset(data);
  call(ierror, [&] { return ADCL_Vector_get_data(handle<ADCL_Vector>(vec), data); });
}
