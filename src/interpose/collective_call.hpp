/// \file collective_call.hpp
/// The arguments of an intercepted collective call, in the same form for all operations.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <tuple>

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
  bool dense = false;  ///< the memory layout is that of packed data: the basic elements in order, without gaps

  [[nodiscard]] bool in_place() const noexcept { return buffer == MPI_IN_PLACE; }
  [[nodiscard]] bool same_shape(const Side& other) const noexcept { return count == other.count && type == other.type; }
};

/// Arguments as the program passes them. Arguments that are not significant on this rank may have any value.
struct CollectiveCall {
  Operation operation = Operation::barrier;
  MPI_Comm comm = MPI_COMM_NULL;
  Side send;
  Side receive;  ///< for a broadcast: its only buffer
  MPI_Op op = MPI_OP_NULL;
  int root = 0;

  [[nodiscard]] bool reduces() const noexcept { return operation >= Operation::reduce; }
};

/// Whether the interposer tunes a call; other calls are passed through.
constexpr bool is_searched(Call call) {
  return call == Call::Allgather || call == Call::Allreduce || call == Call::Alltoall || call == Call::Bcast ||
         call == Call::Gather || call == Call::Reduce || call == Call::Reduce_scatter_block || call == Call::Scatter;
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
  } else if constexpr (call == Call::Allreduce || call == Call::Reduce_scatter_block) {
    constexpr auto operation = call == Call::Allreduce ? Operation::allreduce : Operation::reduce_scatter_block;
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

}  // namespace adcl::interpose
