// ADCL_v1_Vmap_* and ADCL_v1_Vector_*: arrays, and the elements that are communicated.
#include "capi/v1/vectors.hpp"

#include <utility>

#include "capi/objects.hpp"
#include "capi/v1/pointer_array.hpp"
#include "codelets/collectives/vmaps.hpp"
#include "codelets/neighborhood/vmaps.hpp"

namespace adcl::capi::v1 {
namespace {

struct Array {
  int ndims;
  const int* dims;
  int nc;
  MPI_Datatype type;
  void* data;
  bool allocated;
};

/// The vector for MPI_IN_PLACE has no data; its memory is never accessed.
std::shared_ptr<V1Vector> without_data(bool allocated) {
  const Grid grid{{1}};
  return allocated ? std::make_shared<V1Vector>(grid, 0, MPI_BYTE, mpi::Sharing::unwanted)
                   : std::make_shared<V1Vector>(grid, 0, MPI_BYTE, data::Vector::no_array());
}

/// Returns the extents of all dimensions, including the entries of a point. \p argument_code is the code of an error.
std::vector<int> extents_of(const Array& array, int& argument_code) {
  argument_code = ADCL_INVALID_NDIMS;
  require(array.ndims >= 1, Code::argument, "ndims is ", array.ndims, "; a vector has at least one dimension");
  argument_code = ADCL_INVALID_DIMS;
  require_pointer(array.dims, "dims");
  std::vector<int> extents(array.dims, array.dims + array.ndims);
  for (int d = 0; d < array.ndims; ++d) {
    require(array.dims[d] >= 1, Code::argument, "dims[", d, "] is ", array.dims[d], "; an extent must be at least 1");
  }
  argument_code = ADCL_INVALID_NC;
  require(array.nc >= 0, Code::argument, "nc is ", array.nc, "; it must be at least 0");
  if (array.nc > 0) {
    extents.push_back(array.nc);
  }
  return extents;
}

/// Creates the vector, and the pointer array over it if it was allocated.
std::shared_ptr<V1Vector> vector_of(const Array& array, int& argument_code) {
  const std::vector<int> extents = extents_of(array, argument_code);
  argument_code = array.allocated ? ADCL_INVALID_ARG : ADCL_INVALID_DATA;
  require_pointer(array.data, "data");
  const Grid grid{std::vector<int>(array.dims, array.dims + array.ndims)};
  argument_code = ADCL_INVALID_ARG;
  if (!array.allocated) {
    auto vector = std::make_shared<V1Vector>(grid, array.nc, array.type, array.data);
    void* const memory =
        extents.size() > 1 ? memory_below(array.data, extents, vector->entry()->extent_bytes()) : nullptr;
    if (memory != nullptr) {
      vector->rebind(memory);
    }
    return vector;
  }
  auto vector = std::make_shared<V1Vector>(grid, array.nc, array.type, vector_memory());
  if (extents.size() > 1) {
    vector->pointers = pointer_array(vector->data(), extents, vector->entry()->extent_bytes());
  }
  return vector;
}

int make_vector(const char* call, const Array& array, ADCL_Vmap vmap, ADCL_Vector* vec) {
  int argument_code = ADCL_INVALID_ARG;
  const int code = guard_initialized(call, [&] {
    require_pointer(vec, "vec");
    auto object = registry().vmaps.get(vmap, "vmap");
    const bool in_place = dynamic_cast<const codelets::InplaceVmap*>(object.get()) != nullptr;
    const auto vector = in_place ? without_data(array.allocated) : vector_of(array, argument_code);
    vector->vmap = std::move(object);
    *vec = registry().vectors.insert(vector);
    if (array.allocated && !in_place) {
      void* const pointers = vector->pointers.data();
      *static_cast<void**>(array.data) = vector->pointers.empty() ? vector->data() : pointers;
    }
  });
  return v1_code(code, ADCL_INVALID_VMAP, argument_code);
}

/// Creates a vector with its own vmap, of the kind that ADCL 1.0 selected by a constant.
int make_old_vector(const char* call, const Array& array, int vectype, int hwidth, ADCL_Vector* vec) {
  int argument_code = ADCL_INVALID_VECTYPE;
  ADCL_Vmap vmap = ADCL_VMAP_NULL;
  int code = guard_initialized(call, [&] {
    require(vectype == ADCL_VECTOR_HALO || vectype == ADCL_VECTOR_ALL, Code::argument, "vectype is ", vectype,
            "; pass ADCL_VECTOR_HALO or ADCL_VECTOR_ALL, or call ", call, "_generic with a vmap");
    argument_code = ADCL_INVALID_HWIDTH;
    require(vectype == ADCL_VECTOR_ALL || hwidth >= 0, Code::argument, "hwidth is ", hwidth,
            "; a halo width must be at least 0");
    std::shared_ptr<data::Vmap> object = std::make_shared<WholeVmap>(std::nullopt);
    if (vectype == ADCL_VECTOR_HALO) {
      object = std::make_shared<codelets::HaloVmap>(hwidth);
    }
    vmap = registry().vmaps.insert(std::move(object));
  });
  if (code != ADCL_SUCCESS) {
    return v1_code(code, ADCL_INVALID_VMAP, argument_code);
  }
  code = make_vector(call, array, vmap, vec);
  registry().vmaps.remove(vmap, "vmap");
  return code;
}

int whole_vmap(const char* call, std::optional<MPI_Op> op, ADCL_Vmap* vmap) {
  int argument_code = ADCL_INVALID_ARG;
  const int code = guard_initialized(call, [&] {
    require_pointer(vmap, "vmap");
    argument_code = ADCL_INVALID_OP;
    require(op != MPI_OP_NULL, Code::argument, "op is MPI_OP_NULL; pass an operation such as MPI_SUM");
    *vmap = registry().vmaps.insert(std::make_shared<WholeVmap>(op));
  });
  return v1_code(code, ADCL_INVALID_VMAP, argument_code);
}

/// Returns the code of a call that frees a vector.
int code_of_freeing(int code) {
  return code == ADCL_ERR_STATE ? ADCL_INVALID_DATA : v1_code(code, ADCL_INVALID_VECTOR);
}

}  // namespace

}  // namespace adcl::capi::v1

using namespace adcl::capi::v1;

extern "C" {

int ADCL_v1_Vmap_halo_allocate(int hwidth, ADCL_Vmap* vmap) {
  return v1_code(ADCL_Vmap_halo_allocate(hwidth, vmap), ADCL_INVALID_VMAP,
                 hwidth < 0 ? ADCL_INVALID_HWIDTH : ADCL_INVALID_ARG);
}

int ADCL_v1_Vmap_all_allocate(ADCL_Vmap* vmap) { return whole_vmap("ADCL_Vmap_all_allocate", std::nullopt, vmap); }

int ADCL_v1_Vmap_list_allocate(int size, const int* counts, const int* displs, ADCL_Vmap* vmap) {
  return v1_code(ADCL_Vmap_list_allocate(size, counts, displs, vmap), ADCL_INVALID_VMAP);
}

int ADCL_v1_Vmap_allreduce_allocate(MPI_Op op, ADCL_Vmap* vmap) {
  return whole_vmap("ADCL_Vmap_allreduce_allocate", op, vmap);
}

int ADCL_v1_Vmap_reduce_allocate(MPI_Op op, ADCL_Vmap* vmap) {
  return whole_vmap("ADCL_Vmap_reduce_allocate", op, vmap);
}

int ADCL_v1_Vmap_alltoall_allocate(int scount, int rcount, ADCL_Vmap* vmap) {
  return v1_code(ADCL_Vmap_alltoall_allocate(scount, rcount, vmap), ADCL_INVALID_VMAP);
}

int ADCL_v1_Vmap_inplace_allocate(ADCL_Vmap* vmap) {
  return v1_code(ADCL_Vmap_inplace_allocate(vmap), ADCL_INVALID_VMAP);
}

int ADCL_v1_Vmap_free(ADCL_Vmap* vmap) { return v1_code(ADCL_Vmap_free(vmap), ADCL_INVALID_VMAP); }

int ADCL_v1_Vector_allocate_generic(int ndims, const int* dims, int nc, ADCL_Vmap vmap, MPI_Datatype type, void* data,
                                    ADCL_Vector* vec) {
  return make_vector("ADCL_Vector_allocate_generic", {ndims, dims, nc, type, data, true}, vmap, vec);
}

int ADCL_v1_Vector_register_generic(int ndims, const int* dims, int nc, ADCL_Vmap vmap, MPI_Datatype type, void* data,
                                    ADCL_Vector* vec) {
  return make_vector("ADCL_Vector_register_generic", {ndims, dims, nc, type, data, false}, vmap, vec);
}

int ADCL_v1_Vector_allocate(int ndims, const int* dims, int nc, int vectype, int hwidth, MPI_Datatype type, void* data,
                            ADCL_Vector* vec) {
  return make_old_vector("ADCL_Vector_allocate", {ndims, dims, nc, type, data, true}, vectype, hwidth, vec);
}

int ADCL_v1_Vector_register(int ndims, const int* dims, int nc, int vectype, int hwidth, MPI_Datatype type, void* data,
                            ADCL_Vector* vec) {
  return make_old_vector("ADCL_Vector_register", {ndims, dims, nc, type, data, false}, vectype, hwidth, vec);
}

int ADCL_v1_Vector_free(ADCL_Vector* vec) { return code_of_freeing(ADCL_Vector_free(vec)); }

int ADCL_v1_Vector_deregister(ADCL_Vector* vec) { return code_of_freeing(ADCL_Vector_deregister(vec)); }

}  // extern "C"
