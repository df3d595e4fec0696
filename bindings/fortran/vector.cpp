// Vectors, and halo exchanges in one call. Checks that the array can hold the elements that dims, nc and type describe.
#include <map>
#include <mutex>

#include "arguments.hpp"
#include "generated/by_hand.hpp"
#include "layout.hpp"

using namespace adcl::fortran;

namespace {

/// The layouts of vectors registered in Fortran, by handle.
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
  void set_order(int vec, int order) {
    const std::scoped_lock lock(mutex_);
    const auto found = layouts_.find(vec);
    if (found != layouts_.end()) {
      found->second.set_order(order);
    }
  }
  /// Like require_room() for the vector's layout; accepts any array for a vector registered in C.
  void require_room_for(int vec, const CFI_cdesc_t* data, const std::string& name) {
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

/// Description of an array in Fortran.
struct Array {
  const int* ndims;
  const CFI_cdesc_t* dims;
  const int* nc;
  const MPI_Fint* type;
  const CFI_cdesc_t* data;
};

/// Registers an array in Fortran order. Returns the code; does not throw.
int register_fortran(int ndims, const int* dims, int nc, MPI_Datatype type, void* base, ADCL_Vector* vec) {
  const int code = ADCL_Vector_register(ndims, dims, nc, type, base, vec);
  return code == ADCL_SUCCESS ? ADCL_Vector_set_order(*vec, ADCL_ORDER_FORTRAN) : code;
}

void register_vector(const char* name, const Array& array, int* vec, int* ierror) {
  Result<ADCL_Vector> vec_out(vec, ADCL_VECTOR_NULL);
  call(name, ierror, [&](Arguments& given) {
    const auto dims = given.array<int>(array.dims, "dims", *array.ndims);
    void* const base = given.data(array.data, "data");
    ADCL_Vector* const created = given.null_if_invalid(vec_out);
    const int code = register_fortran(*array.ndims, dims.data(), *array.nc, datatype(array.type), base, created);
    if (code != ADCL_SUCCESS) {
      return code;
    }
    try {
      Layout layout(dims, *array.nc, datatype(array.type));
      require_room(array.data, given.qualified("data"), layout);
      layouts().keep(integer(*created), std::move(layout));
    } catch (...) {
      ADCL_Vector_deregister(created);
      throw;
    }
    return code;
  });
}

/// Allocates an array in Fortran order; *data is null if the allocation fails.
void allocate_vector(const char* name, const int* ndims, const CFI_cdesc_t* dims, const int* nc, const MPI_Fint* type,
                     void** data, int* vec, int* ierror) {
  Result<ADCL_Vector> vec_out(vec, ADCL_VECTOR_NULL);
  preset(data);
  call(name, ierror, [&](Arguments& given) {
    const auto extents = given.array<int>(dims, "dims", *ndims);
    ADCL_Vector* const created = given.null_if_invalid(vec_out);
    const int code = ADCL_Vector_allocate(*ndims, extents.data(), *nc, datatype(type), data, created);
    return code == ADCL_SUCCESS ? ADCL_Vector_set_order(*created, ADCL_ORDER_FORTRAN) : code;
  });
}

/// Throws Error(ADCL_ERR_ARGUMENT) if the library accepts \p dims, \p nc and \p type, but \p buf is too small.
void* halo_address(const CFI_cdesc_t* buf, const std::string& name, const std::vector<int>& dims, int nc,
                   MPI_Datatype type) {
  void* const base = address(buf, name);
  ADCL_Vector described = ADCL_VECTOR_NULL;
  if (ADCL_Vector_register(static_cast<int>(dims.size()), dims.data(), nc, type, base, &described) == ADCL_SUCCESS) {
    ADCL_Vector_deregister(&described);
    require_room(buf, name, Layout(dims, nc, type));
  }
  return base;
}

}  // namespace

ADCL_F_API void adcl_f_vector_register(const int* ndims, const CFI_cdesc_t* dims, const int* nc, const MPI_Fint* type,
                                       const CFI_cdesc_t* data, int* vec, int* ierror) {
  register_vector("ADCL_Vector_register", {ndims, dims, nc, type, data}, vec, ierror);
}

ADCL_F_API void adcl_f_vector_register_generic(const int* ndims, const CFI_cdesc_t* dims, const int* nc,
                                               const MPI_Fint* type, const CFI_cdesc_t* data, int* vec, int* ierror) {
  register_vector("ADCL_Vector_register_generic", {ndims, dims, nc, type, data}, vec, ierror);
}

ADCL_F_API void adcl_f_vector_allocate(const int* ndims, const CFI_cdesc_t* dims, const int* nc, const MPI_Fint* type,
                                       void** data, int* vec, int* ierror) {
  allocate_vector("ADCL_Vector_allocate", ndims, dims, nc, type, data, vec, ierror);
}

ADCL_F_API void adcl_f_vector_allocate_generic(const int* ndims, const CFI_cdesc_t* dims, const int* nc,
                                               const MPI_Fint* type, void** data, int* vec, int* ierror) {
  allocate_vector("ADCL_Vector_allocate_generic", ndims, dims, nc, type, data, vec, ierror);
}

ADCL_F_API void adcl_f_vector_set_order(const int* vec, const int* order, int* ierror) {
  call(ierror, [&] {
    const int code = ADCL_Vector_set_order(handle<ADCL_Vector>(vec), *order);
    if (code == ADCL_SUCCESS) {
      layouts().set_order(*vec, *order);
    }
    return code;
  });
}

ADCL_F_API void adcl_f_vector_deregister(int* vec, int* ierror) {
  call(ierror, [&] { return release_vector(ADCL_Vector_deregister, vec); });
}

ADCL_F_API void adcl_f_vector_free(int* vec, int* ierror) {
  call(ierror, [&] { return release_vector(ADCL_Vector_free, vec); });
}

ADCL_F_API void adcl_f_vector_rebind(const int* vec, const CFI_cdesc_t* data, int* ierror) {
  call("ADCL_Vector_rebind", ierror, [&](Arguments& given) {
    void* const base = given.read([&] {
      void* const found = address(data, given.qualified("data"));
      layouts().require_room_for(*vec, data, given.qualified("data"));
      return found;
    });
    return ADCL_Vector_rebind(handle<ADCL_Vector>(vec), base);
  });
}

ADCL_F_API void adcl_f_halo_init(const CFI_cdesc_t* buf, const int* ndims, const CFI_cdesc_t* dims, const int* nc,
                                 const int* hwidth, const MPI_Fint* type, const MPI_Fint* cart_comm, int* req,
                                 int* ierror) {
  Result<ADCL_Request> req_out(req, ADCL_REQUEST_NULL);
  call("ADCL_Halo_init", ierror, [&](Arguments& given) {
    const auto dims_in = given.array<int>(dims, "dims", *ndims);
    void* const buf_in =
        given.read([&] { return halo_address(buf, given.qualified("buf"), dims_in, *nc, datatype(type)); });
    ADCL_Halo halo = *ADCL_HALO(buf_in, *ndims, dims_in.data(), *nc, *hwidth, datatype(type));
    halo.order = ADCL_ORDER_FORTRAN;
    return ADCL_Halo_init(&halo, communicator(cart_comm), given.null_if_invalid(req_out));
  });
}
