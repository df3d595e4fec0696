/// \file objects.hpp
/// Creates, finds and frees the objects behind handles.
#pragma once

#include <memory>
#include <utility>

#include "capi/guard.hpp"
#include "capi/registry.hpp"

namespace adcl::capi {

/// Pointer to a table of the registry.
template <typename Object, typename Handle>
using Table = HandleTable<Object, Handle> Registry::*;

/// A call that creates an object: stores the handle of the object that \p make returns. Local.
template <typename Object, typename Handle, typename Make>
int create_object(const char* call, Table<Object, Handle> table, Handle* handle, const char* argument,
                  const Make& make) {
  return guard_initialized(call, [&] {
    require_pointer(handle, argument);
    *handle = (registry().*table).insert(make());
  });
}

/// A call that frees an object: calls \p before with the object, then sets the handle to its null value.
template <typename Object, typename Handle, typename Before>
int free_object(const char* call, Table<Object, Handle> table, Handle* handle, const char* argument,
                const Before& before) {
  return guard_initialized(call, [&] {
    require_pointer(handle, argument);
    auto& objects = registry().*table;
    before(*objects.get(*handle, argument));
    objects.remove(*handle, argument);
    *handle = objects.null();
  });
}

template <typename Object, typename Handle>
int free_object(const char* call, Table<Object, Handle> table, Handle* handle, const char* argument) {
  return free_object(call, table, handle, argument, [](const Object&) {});
}

/// Returns the object of a handle. Inlined, without a lock or a reference count: it is on the path of every start.
template <typename Object, typename Handle>
[[gnu::always_inline]] inline Object& find_object(Table<Object, Handle> table, Handle handle, const char* argument) {
  const auto& objects = registry().*table;
  Object* const found = objects.find(handle);
  if (found == nullptr) [[unlikely]] {
    require_initialized();
    objects.throw_bad(handle, argument);
  }
  return *found;
}

/// A call that reads or changes a request. Owns the request during the call, because another thread may free it.
template <typename Body>
int with_request(const char* call, ADCL_Request req, const Body& body) {
  return guard_initialized(call, [&] { body(*registry().requests.get(req, "req")); });
}

/// Creates a request on \p context, and its handle. Collective over the context.
void create_request(const std::shared_ptr<mpi::Context>& context, mpi::Attempt<runtime::RequestParts> parts,
                    ADCL_Request* req);

/// Creates a request on the context of the topology, even if this rank has freed the topology recently, or on that of
/// MPI_COMM_WORLD for a user-defined set without a topology. Collective over the context. For any other handle the
/// participating ranks are unknown: throws the error of \p parts, on this rank only.
void create_request(ADCL_Topology topo, ADCL_Fnctset set, mpi::Attempt<runtime::RequestParts> parts, ADCL_Request* req);

/// A call that creates a request on \p comm from the parts that \p make returns for its topology. \p make is local: the
/// ranks agree on its errors afterward.
template <typename Make>
int create_request_on(const char* call, MPI_Comm comm, int root, ADCL_Request* req, const Make& make) {
  return guard_initialized(call, [&] {
    const auto topology = data::topology_of(comm, root);
    auto parts = mpi::attempt([&] {
      require_pointer(req, "req");
      return make(topology);
    });
    create_request(topology->context, std::move(parts), req);
  });
}

/// The memory that ADCL_Vector_allocate uses, by the option ADCL_VECTOR_MEMORY.
inline mpi::Sharing vector_memory() {
  return registry().option("ADCL_VECTOR_MEMORY") == "shared" ? mpi::Sharing::wanted : mpi::Sharing::unwanted;
}

}  // namespace adcl::capi
