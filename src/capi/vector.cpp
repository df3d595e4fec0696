// ADCL_Vector_*: arrays of the application.
#include <algorithm>
#include <optional>

#include "ADCL.h"
#include "capi/objects.hpp"
#include "mpi/agreement.hpp"

namespace adcl::capi {
namespace {

Grid grid_of(int ndims, const int *dims) {
  require(ndims >= 1, Code::argument, "ndims is ", ndims, "; a vector has at least one dimension");
  require_pointer(dims, "dims");
  return {std::vector<int>(dims, dims + ndims), false};
}

int register_vector(const char *call, int ndims, const int *dims, int nc, MPI_Datatype type, void *data,
                    ADCL_Vector *vec) {
  return create_object(call, &Registry::vectors, vec, "vec",
                       [&] { return std::make_shared<data::Vector>(grid_of(ndims, dims), nc, type, data); });
}

int allocate_vector(const char *call, int ndims, const int *dims, int nc, MPI_Datatype type, void *data,
                    ADCL_Vector *vec) {
  void *address = nullptr;
  const int code = create_object(call, &Registry::vectors, vec, "vec", [&] {
    require_pointer(data, "data");
    auto object = std::make_shared<data::Vector>(grid_of(ndims, dims), nc, type, vector_memory());
    address = object->data();
    return object;
  });
  if (code == ADCL_SUCCESS) {
    *static_cast<void **>(data) = address;
  }
  return code;
}

/// Frees a vector. Registered and allocated vectors have separate calls, so that a call for the wrong kind is an error.
int remove_vector(const char *call, bool allocated, ADCL_Vector *vec) {
  return free_object(call, &Registry::vectors, vec, "vec", [&](const data::Vector &vector) {
    require(vector.owns_data() == allocated, Code::state,
            allocated ? "the vector was registered; use ADCL_Vector_deregister"
                      : "the vector was allocated; use ADCL_Vector_free");
  });
}

/// Requests that use \p vector, in an order that all ranks of their communicators share.
std::vector<std::shared_ptr<runtime::Request>> requests_of(const data::Vector *vector) {
  auto requests = registry().requests.all([vector](const runtime::Request &request) { return request.uses(vector); });
  std::sort(requests.begin(), requests.end(), [](const auto &a, const auto &b) { return a->order() < b->order(); });
  return requests;
}

}  // namespace
}  // namespace adcl::capi

using namespace adcl;
using namespace adcl::capi;

extern "C" {

int ADCL_Vector_register(int ndims, const int *dims, int nc, MPI_Datatype type, void *data, ADCL_Vector *vec) {
  return register_vector(__func__, ndims, dims, nc, type, data, vec);
}

int ADCL_Vector_register_generic(int ndims, const int *dims, int nc, MPI_Datatype type, void *data, ADCL_Vector *vec) {
  return register_vector(__func__, ndims, dims, nc, type, data, vec);
}

int ADCL_Vector_set_order(ADCL_Vector vec, int order) {
  return guard_initialized(__func__, [&] {
    const auto object = registry().vectors.get(vec, "vec");
    require(order == ADCL_ORDER_C || order == ADCL_ORDER_FORTRAN, Code::argument, "order is ", order,
            "; pass ADCL_ORDER_C or ADCL_ORDER_FORTRAN");
    require(requests_of(object.get()).empty(), Code::state,
            "a request uses the vector; set the order before creating the first request");
    object->set_fortran_order(order == ADCL_ORDER_FORTRAN);
  });
}

int ADCL_Vector_deregister(ADCL_Vector *vec) { return remove_vector(__func__, false, vec); }

int ADCL_Vector_allocate(int ndims, const int *dims, int nc, MPI_Datatype type, void *data, ADCL_Vector *vec) {
  return allocate_vector(__func__, ndims, dims, nc, type, data, vec);
}

int ADCL_Vector_allocate_generic(int ndims, const int *dims, int nc, MPI_Datatype type, void *data, ADCL_Vector *vec) {
  return allocate_vector(__func__, ndims, dims, nc, type, data, vec);
}

int ADCL_Vector_free(ADCL_Vector *vec) { return remove_vector(__func__, true, vec); }

int ADCL_Vector_rebind(ADCL_Vector vec, void *data) {
  return guard_initialized(__func__, [&] {
    const auto object = registry().vectors.get(vec, "vec");
    const auto requests = requests_of(object.get());
    const auto failure = mpi::error_of([&] {
      require_pointer(data, "data");
      require(!object->owns_data(), Code::state,
              "ADCL_Vector_allocate created the vector, so the memory belongs to ADCL; rebind only registered vectors");
      for (const auto &request : requests) {
        require(&request->context() == &requests.front()->context(), Code::state,
                "requests on several communicators use the vector; register the array once for each "
                "communicator");
        request->require_idle();
      }
    });
    // Agree for each request even after a failure: the other ranks wait for this rank.
    std::optional<Error> first_failure;
    for (const auto &request : requests) {
      const auto agreed = adcl::mpi::error_of([&] { adcl::mpi::agree_on_success(request->context().comm(), failure); });
      first_failure = first_failure.has_value() ? first_failure : agreed;
    }
    if (first_failure.has_value() || failure.has_value()) {
      throw Error(first_failure.has_value() ? *first_failure : *failure);
    }
    object->rebind(data);
    for (const auto &request : requests) {
      request->rebind();
    }
  });
}

int ADCL_Vector_get_data(ADCL_Vector vec, void **data) {
  return guard_initialized(__func__, [&] {
    require_pointer(data, "data");
    *data = registry().vectors.get(vec, "vec")->data();
  });
}

}  // extern "C"
