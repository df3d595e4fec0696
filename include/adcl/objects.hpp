/** \file objects.hpp
 *  Owners of topologies, vectors and vmaps, for requests that adcl::halo does not create. */
#ifndef ADCL_OBJECTS_HPP
#define ADCL_OBJECTS_HPP

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "request.hpp"

namespace adcl {

/** Owns a handle of ADCL.h; Traits has functions `null()` and `free(Handle*)`. */
template <typename Traits>
class Owner {
 public:
  using Handle = decltype(Traits::null());

  Owner() noexcept = default;
  /** Takes ownership. */
  explicit Owner(Handle handle) noexcept : handle_(handle) {}
  Owner(Owner&& other) noexcept : handle_(std::exchange(other.handle_, Traits::null())) {}
  Owner& operator=(Owner&& other) noexcept {
    if (this != &other) {
      reset();
      handle_ = std::exchange(other.handle_, Traits::null());
    }
    return *this;
  }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() { reset(); }

  explicit operator bool() const noexcept { return handle_ != Traits::null(); }
  [[nodiscard]] Handle get() const noexcept { return handle_; }
  [[nodiscard]] Handle release() noexcept { return std::exchange(handle_, Traits::null()); }
  /** Frees the object; ignores errors. */
  void reset() noexcept {
    if (*this && detail::is_running()) {
      Traits::free(&handle_);
    }
    handle_ = Traits::null();
  }

 private:
  Handle handle_ = Traits::null();
};

struct TopologyTraits {
  static ADCL_Topology null() noexcept { return ADCL_TOPOLOGY_NULL; }
  static void free(ADCL_Topology* handle) noexcept { ADCL_Topology_free(handle); }
};
struct VectorTraits {
  static ADCL_Vector null() noexcept { return ADCL_VECTOR_NULL; }
  static void free(ADCL_Vector* handle) noexcept { ADCL_Vector_deregister(handle); }
};
struct VmapTraits {
  static ADCL_Vmap null() noexcept { return ADCL_VMAP_NULL; }
  static void free(ADCL_Vmap* handle) noexcept { ADCL_Vmap_free(handle); }
};

/** The processes and neighbors of an operation. Its destructor is collective. */
using Topology = Owner<TopologyTraits>;
/** A registered array; see ADCL_Vector_register. */
using Vector = Owner<VectorTraits>;
/** The elements that an operation sends and receives. */
using Vmap = Owner<VmapTraits>;

/** ADCL_Topology_create. Collective. */
[[nodiscard]] inline Topology topology(MPI_Comm comm, int root = 0, OnError on_error = {}) {
  ADCL_Topology handle = ADCL_TOPOLOGY_NULL;
  on_error(ADCL_Topology_create(comm, root, &handle));
  return Topology(handle);
}

/** ADCL_Topology_create_extended: includes diagonal neighbors. Collective. */
[[nodiscard]] inline Topology extended_topology(MPI_Comm cart, OnError on_error = {}) {
  ADCL_Topology handle = ADCL_TOPOLOGY_NULL;
  on_error(ADCL_Topology_create_extended(cart, &handle));
  return Topology(handle);
}

/** ADCL_Topology_create_generic, with \p left.size() dimensions. \p coords may be empty. Collective; an error of one
 *  rank's sizes is an error on all ranks. */
[[nodiscard]] inline Topology generic_topology(std::span<const int> left, std::span<const int> right,
                                               std::span<const int> coords, int direction, MPI_Comm comm,
                                               OnError on_error = {}) {
  const bool fits = left.size() == right.size() && (coords.empty() || coords.size() == left.size());
  ADCL_Topology handle = ADCL_TOPOLOGY_NULL;
  int code = ADCL_Topology_create_generic(fits ? static_cast<int>(left.size()) : -1, left.data(), right.data(),
                                          coords.empty() ? nullptr : coords.data(), direction, comm, &handle);
  if (!fits && code != ADCL_SUCCESS) {
    code = ADCL_Error_record(code,
                             "adcl::generic_topology: left, right and coords have different sizes; pass one rank "
                             "and one coordinate per dimension");
  }
  on_error(code);
  return Topology(handle);
}

/** ADCL_Vector_register. Local. */
[[nodiscard]] inline Vector vector(std::span<const int> extents, int nc, MPI_Datatype type, void* data,
                                   OnError on_error = {}) {
  ADCL_Vector handle = ADCL_VECTOR_NULL;
  on_error(ADCL_Vector_register(static_cast<int>(extents.size()), extents.data(), nc, type, data, &handle));
  return Vector(handle);
}

/** ADCL_Vmap_halo_allocate_generic: low[d] and high[d] layers in dimension d. Local. */
[[nodiscard]] inline Vmap halo_vmap(std::span<const int> low, std::span<const int> high, OnError on_error = {}) {
  ADCL_Vmap handle = ADCL_VMAP_NULL;
  const int ndims = low.size() == high.size() ? static_cast<int>(low.size()) : -1;
  on_error(ADCL_Vmap_halo_allocate_generic(ndims, low.data(), high.data(), &handle));
  return Vmap(handle);
}

/** ADCL_Vmap_graph_allocate. Local. */
[[nodiscard]] inline Vmap graph_vmap(std::span<const int> send_counts, std::span<const int> send_indices,
                                     std::span<const int> receive_counts, std::span<const int> receive_indices,
                                     OnError on_error = {}) {
  ADCL_Vmap handle = ADCL_VMAP_NULL;
  on_error(ADCL_Vmap_graph_allocate(static_cast<int>(send_counts.size()), send_counts.data(), send_indices.data(),
                                    static_cast<int>(receive_counts.size()), receive_counts.data(),
                                    receive_indices.data(), &handle));
  return Vmap(handle);
}

/** ADCL_Request_create_several for fields that are sent from and received into the same vectors. Collective; a field
 *  that is empty on one rank is an error on all ranks. */
[[nodiscard]] inline Request request(std::span<const Vector> vectors, std::span<const Vmap> vmaps,
                                     const Topology& topology, OnError on_error = {},
                                     ADCL_Fnctset set = ADCL_FNCTSET_NEIGHBORHOOD) {
  std::vector<ADCL_Vector> data;
  std::vector<ADCL_Vmap> maps;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    data.push_back(vectors[i].get());
    maps.push_back(i < vmaps.size() ? vmaps[i].get() : ADCL_VMAP_NULL);
  }
  ADCL_Request handle = ADCL_REQUEST_NULL;
  on_error(ADCL_Request_create_several(static_cast<int>(data.size()), data.data(), maps.data(), data.data(),
                                       maps.data(), topology.get(), set, &handle));
  return Request(handle);
}

}  // namespace adcl

#endif
