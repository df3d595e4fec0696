#include <map>
#include <mutex>

#include "shim.hpp"

using namespace adcl::fortran;

namespace {

/// What arrays must be like to take the place of the ones that Fortran has registered, by handle.
class Layouts {
 public:
  void keep(int vec, Layout layout) {
    const std::scoped_lock lock(mutex_);
    layouts_.insert_or_assign(vec, std::move(layout));
  }
  void forget(int vec) {
    const std::scoped_lock lock(mutex_);
    layouts_.erase(vec);
  }
  /// As require_room() for the vector's; a vector that C has registered is not known here.
  void require_room_for(int vec, const CFI_cdesc_t* data, const char* name) {
    const std::scoped_lock lock(mutex_);
    const auto found = layouts_.find(vec);
    if (found != layouts_.end()) {
      require_room(data, name, found->second);
    }
  }

 private:
  std::mutex mutex_;
  std::map<int, Layout> layouts_;
};

Layouts& layouts() {
  static Layouts instance;
  return instance;
}

int release_vector(int (*free)(ADCL_Vector*), int* vec) {
  const int before = *vec;
  const int code = release(free, vec);
  if (code == ADCL_SUCCESS) {
    layouts().forget(before);
  }
  return code;
}

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
    Layout layout(extents, *nc, order, datatype(type));
    require_room(data, (call_name + ": data").c_str(), layout);
    layouts().keep(integer(created), std::move(layout));
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
  call(ierror, [&] { return release_vector(ADCL_Vector_deregister, vec); });
}

ADCL_F_API void adcl_f_vector_free(int* vec, int* ierror) {
  call(ierror, [&] { return release_vector(ADCL_Vector_free, vec); });
}

ADCL_F_API void adcl_f_vector_rebind(const int* vec, const CFI_cdesc_t* data, int* ierror) {
  call(ierror, [&] {
    void* base = nullptr;
    try {
      base = address(data, "ADCL_Vector_rebind: data");
      layouts().require_room_for(*vec, data, "ADCL_Vector_rebind: data");
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
