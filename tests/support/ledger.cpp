#include "support/ledger.hpp"

#include <mpi.h>

#if defined(OPEN_MPI) && MPI_VERSION < 4 && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <array>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <set>

namespace adcl::test {
namespace {

enum Object { communicators, datatypes, windows, groups, operations, infos, keyvals, persistent_requests, kinds };
constexpr std::array<const char*, kinds> names{"communicators", "datatypes", "windows", "groups",
                                               "operations",    "infos",     "keyvals", "persistent requests"};

std::mutex guard;
std::array<std::multiset<std::uint64_t>, kinds> alive;

template <typename Handle>
std::uint64_t number_of(Handle handle) {
  static_assert(sizeof handle <= sizeof(std::uint64_t));
  std::uint64_t number = 0;
  std::memcpy(&number, &handle, sizeof handle);
  return number;
}

template <typename Handle>
void add(Object kind, Handle handle) {
  const std::scoped_lock lock(guard);
  alive[kind].insert(number_of(handle));
}

template <typename Handle>
int made(Object kind, int code, const Handle* handle, Handle null) {
  if (code == MPI_SUCCESS && *handle != null) {
    add(kind, *handle);
  }
  return code;
}

/// Called before the MPI call, which sets the handle to null. Ignores objects that the ledger has not recorded.
template <typename Handle>
void freed(Object kind, const Handle* handle) {
  const std::scoped_lock lock(guard);
  const auto entry = alive[kind].find(number_of(*handle));
  if (entry != alive[kind].end()) {
    alive[kind].erase(entry);
  }
}

}  // namespace

std::string left_behind() {
  const std::scoped_lock lock(guard);
  std::string text;
  for (int kind = 0; kind < kinds; ++kind) {
    if (!alive[kind].empty()) {
      text += (text.empty() ? "" : ", ") + std::to_string(alive[kind].size()) + " " + names[kind];
    }
  }
  return text;
}

}  // namespace adcl::test

#ifndef SMPI_H

using namespace adcl::test;

extern "C" {

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* result) {
  return made(communicators, PMPI_Comm_dup(comm, result), result, MPI_COMM_NULL);
}
int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* result) {
  return made(communicators, PMPI_Comm_create(comm, group, result), result, MPI_COMM_NULL);
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* result) {
  return made(communicators, PMPI_Comm_split(comm, color, key, result), result, MPI_COMM_NULL);
}
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* result) {
  return made(communicators, PMPI_Comm_split_type(comm, type, key, info, result), result, MPI_COMM_NULL);
}
int MPI_Cart_create(MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm* result) {
  return made(communicators, PMPI_Cart_create(comm, ndims, dims, periods, reorder, result), result, MPI_COMM_NULL);
}
int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int sources[], const int source_weights[],
                                   int outdegree, const int destinations[], const int destination_weights[],
                                   MPI_Info info, int reorder, MPI_Comm* result) {
  return made(communicators,
              PMPI_Dist_graph_create_adjacent(comm, indegree, sources, source_weights, outdegree, destinations,
                                              destination_weights, info, reorder, result),
              result, MPI_COMM_NULL);
}
int MPI_Comm_free(MPI_Comm* comm) {
  freed(communicators, comm);
  return PMPI_Comm_free(comm);
}

int MPI_Type_dup(MPI_Datatype type, MPI_Datatype* result) {
  return made(datatypes, PMPI_Type_dup(type, result), result, MPI_DATATYPE_NULL);
}
int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype* result) {
  return made(datatypes, PMPI_Type_contiguous(count, type, result), result, MPI_DATATYPE_NULL);
}
int MPI_Type_vector(int count, int length, int stride, MPI_Datatype type, MPI_Datatype* result) {
  return made(datatypes, PMPI_Type_vector(count, length, stride, type, result), result, MPI_DATATYPE_NULL);
}
int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype type, MPI_Datatype* result) {
  return made(datatypes, PMPI_Type_create_hvector(count, length, stride, type, result), result, MPI_DATATYPE_NULL);
}
int MPI_Type_create_hindexed(int count, const int lengths[], const MPI_Aint offsets[], MPI_Datatype type,
                             MPI_Datatype* result) {
  return made(datatypes, PMPI_Type_create_hindexed(count, lengths, offsets, type, result), result, MPI_DATATYPE_NULL);
}
int MPI_Type_create_indexed_block(int count, int length, const int offsets[], MPI_Datatype type, MPI_Datatype* result) {
  return made(datatypes, PMPI_Type_create_indexed_block(count, length, offsets, type, result), result,
              MPI_DATATYPE_NULL);
}
int MPI_Type_create_struct(int count, const int lengths[], const MPI_Aint offsets[], const MPI_Datatype types[],
                           MPI_Datatype* result) {
  return made(datatypes, PMPI_Type_create_struct(count, lengths, offsets, types, result), result, MPI_DATATYPE_NULL);
}
int MPI_Type_create_subarray(int ndims, const int sizes[], const int extents[], const int starts[], int order,
                             MPI_Datatype type, MPI_Datatype* result) {
  return made(datatypes, PMPI_Type_create_subarray(ndims, sizes, extents, starts, order, type, result), result,
              MPI_DATATYPE_NULL);
}
int MPI_Type_create_resized(MPI_Datatype type, MPI_Aint lower_bound, MPI_Aint extent, MPI_Datatype* result) {
  return made(datatypes, PMPI_Type_create_resized(type, lower_bound, extent, result), result, MPI_DATATYPE_NULL);
}
/// Returns the derived types from which a type was made; the caller frees them.
int MPI_Type_get_contents(MPI_Datatype type, int integers, int addresses, int types, int integer[], MPI_Aint address[],
                          MPI_Datatype result[]) {
  const int code = PMPI_Type_get_contents(type, integers, addresses, types, integer, address, result);
  for (int i = 0; code == MPI_SUCCESS && i < types; ++i) {
    int counts[3];
    int combiner = MPI_COMBINER_NAMED;
    PMPI_Type_get_envelope(result[i], &counts[0], &counts[1], &counts[2], &combiner);
    if (combiner != MPI_COMBINER_NAMED) {
      add(datatypes, result[i]);
    }
  }
  return code;
}
int MPI_Type_free(MPI_Datatype* type) {
  freed(datatypes, type);
  return PMPI_Type_free(type);
}

int MPI_Win_create(void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* result) {
  return made(windows, PMPI_Win_create(base, size, unit, info, comm, result), result, MPI_WIN_NULL);
}
int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* result) {
  return made(windows, PMPI_Win_allocate_shared(size, unit, info, comm, base, result), result, MPI_WIN_NULL);
}
int MPI_Win_free(MPI_Win* window) {
  freed(windows, window);
  return PMPI_Win_free(window);
}

int MPI_Comm_group(MPI_Comm comm, MPI_Group* result) {
  return made(groups, PMPI_Comm_group(comm, result), result, MPI_GROUP_NULL);
}
int MPI_Group_incl(MPI_Group group, int count, const int ranks[], MPI_Group* result) {
  const int code = PMPI_Group_incl(group, count, ranks, result);
  return code == MPI_SUCCESS && *result == MPI_GROUP_EMPTY ? code : made(groups, code, result, MPI_GROUP_NULL);
}
int MPI_Group_free(MPI_Group* group) {
  freed(groups, group);
  return PMPI_Group_free(group);
}

int MPI_Op_create(MPI_User_function* function, int commutes, MPI_Op* result) {
  return made(operations, PMPI_Op_create(function, commutes, result), result, MPI_OP_NULL);
}
int MPI_Op_free(MPI_Op* operation) {
  freed(operations, operation);
  return PMPI_Op_free(operation);
}

int MPI_Info_create(MPI_Info* result) { return made(infos, PMPI_Info_create(result), result, MPI_INFO_NULL); }
int MPI_Info_free(MPI_Info* info) {
  freed(infos, info);
  return PMPI_Info_free(info);
}

int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* forget, int* result,
                           void* extra) {
  return made(keyvals, PMPI_Comm_create_keyval(copy, forget, result, extra), result, int{MPI_KEYVAL_INVALID});
}
int MPI_Comm_free_keyval(int* keyval) {
  freed(keyvals, keyval);
  return PMPI_Comm_free_keyval(keyval);
}

int MPI_Send_init(const void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                  MPI_Request* result) {
  return made(persistent_requests, PMPI_Send_init(data, count, type, peer, tag, comm, result), result,
              MPI_REQUEST_NULL);
}
int MPI_Recv_init(void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* result) {
  return made(persistent_requests, PMPI_Recv_init(data, count, type, peer, tag, comm, result), result,
              MPI_REQUEST_NULL);
}
#ifdef ADCL_HAVE_PARTITIONED
int MPI_Psend_init(const void* data, int partitions, MPI_Count count, MPI_Datatype type, int peer, int tag,
                   MPI_Comm comm, MPI_Info info, MPI_Request* result) {
  return made(persistent_requests, PMPI_Psend_init(data, partitions, count, type, peer, tag, comm, info, result),
              result, MPI_REQUEST_NULL);
}
int MPI_Precv_init(void* data, int partitions, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                   MPI_Info info, MPI_Request* result) {
  return made(persistent_requests, PMPI_Precv_init(data, partitions, count, type, peer, tag, comm, info, result),
              result, MPI_REQUEST_NULL);
}
#endif
#if MPI_VERSION >= 4
int MPI_Neighbor_alltoallw_init(const void* sent, const int sent_counts[], const MPI_Aint sent_offsets[],
                                const MPI_Datatype sent_types[], void* received, const int received_counts[],
                                const MPI_Aint received_offsets[], const MPI_Datatype received_types[], MPI_Comm comm,
                                MPI_Info info, MPI_Request* result) {
  return made(persistent_requests,
              PMPI_Neighbor_alltoallw_init(sent, sent_counts, sent_offsets, sent_types, received, received_counts,
                                           received_offsets, received_types, comm, info, result),
              result, MPI_REQUEST_NULL);
}
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ) && OMPI_HAVE_MPI_EXT_PCOLLREQ
int MPIX_Neighbor_alltoallw_init(const void* sent, const int sent_counts[], const MPI_Aint sent_offsets[],
                                 const MPI_Datatype sent_types[], void* received, const int received_counts[],
                                 const MPI_Aint received_offsets[], const MPI_Datatype received_types[], MPI_Comm comm,
                                 MPI_Info info, MPI_Request* result) {
  return made(persistent_requests,
              PMPIX_Neighbor_alltoallw_init(sent, sent_counts, sent_offsets, sent_types, received, received_counts,
                                            received_offsets, received_types, comm, info, result),
              result, MPI_REQUEST_NULL);
}
#endif
int MPI_Request_free(MPI_Request* request) {
  freed(persistent_requests, request);
  return PMPI_Request_free(request);
}

}  // extern "C"

#endif
