/// \file collective_call.hpp
/// The arguments of an intercepted collective call, in the same form for all operations.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <tuple>
#include <utility>

#include "codelets/collectives/collective_problem.hpp"
#include "profile/calls.hpp"

namespace adcl::interpose {

using codelets::Operation;
using profile::Call;

/// A buffer argument with its count and datatype.
struct Side {
  const void* buffer = nullptr;
  std::int64_t count = 0;  ///< entries, or entries of each block
  MPI_Datatype type = MPI_DATATYPE_NULL;
  bool dense = false;  ///< same memory layout as packed data: the basic elements in order, without gaps

  [[nodiscard]] bool in_place() const noexcept { return buffer == MPI_IN_PLACE; }
  [[nodiscard]] bool same_shape(const Side& other) const noexcept { return count == other.count && type == other.type; }
};

struct BlockLists;

/// Arguments as the program passes them. Arguments that are not significant on this rank may have any value.
struct CollectiveCall {
  Operation operation = Operation::barrier;
  MPI_Comm comm = MPI_COMM_NULL;
  Side send;
  Side receive;  ///< for a broadcast: its only buffer
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
  bool neighborhood = false;           ///< with the neighbors of the communicator's topology
  const BlockLists* blocks = nullptr;  ///< blocks that may differ between ranks and calls, in place of both sides

  [[nodiscard]] bool reduces() const noexcept { return operation >= Operation::reduce; }
};

constexpr bool is_prefix(Call call) { return call == Call::Scan || call == Call::Exscan; }

/// Whether the interposer tunes a call by its size.
constexpr bool is_searched(Call call) {
  return call == Call::Allgather || call == Call::Allreduce || call == Call::Alltoall || call == Call::Bcast ||
         call == Call::Gather || call == Call::Reduce || call == Call::Reduce_scatter_block || call == Call::Scatter ||
         is_prefix(call);
}

namespace arguments {

// One function for each form of the argument list; Count is int, or MPI_Count for the functions with the suffix _c.

template <typename Count>
CollectiveCall reduction(Operation operation, const void* send, void* receive, Count count, MPI_Datatype type,
                         MPI_Op op, int root, MPI_Comm comm) {
  const auto entries = static_cast<std::int64_t>(count);
  return {operation, comm, {send, entries, type}, {receive, entries, type}, op, root};
}

template <typename Count>
CollectiveCall exchange(Operation operation, const void* send, Count send_count, MPI_Datatype send_type, void* receive,
                        Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  return {operation,
          comm,
          {send, static_cast<std::int64_t>(send_count), send_type},
          {receive, static_cast<std::int64_t>(receive_count), receive_type},
          MPI_OP_NULL,
          root};
}

}  // namespace arguments

/// The arguments of MPI_Reduce_scatter except for the counts.
inline CollectiveCall blocks_to_scatter(const void* send, void* receive, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return arguments::reduction(Operation::reduce_scatter_block, send, receive, 0, type, op, 0, comm);
}

/// Converts the arguments of the C function.
template <Call call, typename... Arguments>
CollectiveCall collective_call(Arguments... all) {
  static_assert(is_searched(call));
  const auto a = std::tuple(all...);
  using std::get;
  if constexpr (call == Call::Bcast) {
    return {Operation::bcast, get<4>(a), {}, {get<0>(a), static_cast<std::int64_t>(get<1>(a)), get<2>(a)},
            MPI_OP_NULL,      get<3>(a)};
  } else if constexpr (call == Call::Reduce) {
    return arguments::reduction(Operation::reduce, get<0>(a), get<1>(a), get<2>(a), get<3>(a), get<4>(a), get<5>(a),
                                get<6>(a));
  } else if constexpr (call == Call::Allreduce || call == Call::Reduce_scatter_block || is_prefix(call)) {
    constexpr auto operation = call == Call::Allreduce ? Operation::allreduce
                               : call == Call::Scan    ? Operation::scan
                               : call == Call::Exscan  ? Operation::exscan
                                                       : Operation::reduce_scatter_block;
    return arguments::reduction(operation, get<0>(a), get<1>(a), get<2>(a), get<3>(a), get<4>(a), 0, get<5>(a));
  } else if constexpr (call == Call::Gather || call == Call::Scatter) {
    constexpr auto operation = call == Call::Gather ? Operation::gather : Operation::scatter;
    return arguments::exchange(operation, get<0>(a), get<1>(a), get<2>(a), get<3>(a), get<4>(a), get<5>(a), get<6>(a),
                               get<7>(a));
  } else {
    constexpr auto operation = call == Call::Allgather ? Operation::allgather : Operation::alltoall;
    return arguments::exchange(operation, get<0>(a), get<1>(a), get<2>(a), get<3>(a), get<4>(a), get<5>(a), 0,
                               get<6>(a));
  }
}

/// The blocking function that has the arguments of an initialization function without the last two (info and request).
/// Barrier for all other calls.
constexpr Call blocking_of(Call call) {
  switch (call) {
    case Call::Allgather_init:
      return Call::Allgather;
    case Call::Allreduce_init:
      return Call::Allreduce;
    case Call::Alltoall_init:
      return Call::Alltoall;
    case Call::Bcast_init:
      return Call::Bcast;
    case Call::Gather_init:
      return Call::Gather;
    case Call::Reduce_init:
      return Call::Reduce;
    case Call::Reduce_scatter_block_init:
      return Call::Reduce_scatter_block;
    case Call::Scatter_init:
      return Call::Scatter;
    default:
      return Call::Barrier;
  }
}

/// Whether the interposer tunes the starts of the request that a call creates.
constexpr bool is_searched_init(Call call) { return is_searched(blocking_of(call)); }

/// Converts the arguments of the initialization function.
template <Call call, typename... Arguments>
CollectiveCall init_call(const std::tuple<Arguments...>& all) {
  return [&all]<std::size_t... index>(std::index_sequence<index...>) {
    return collective_call<blocking_of(call)>(std::get<index>(all)...);
  }
  (std::make_index_sequence<sizeof...(Arguments) - 2>());
}

}  // namespace adcl::interpose
