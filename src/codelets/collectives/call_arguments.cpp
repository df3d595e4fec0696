#include "codelets/collectives/call_arguments.hpp"

#include <tuple>

#include "mpi/check.hpp"

namespace adcl::codelets {
namespace {

/// Displacements of the blocks, in bytes or in the units that MPI uses.
std::vector<int> displacements_of(const Blocks& blocks, bool in_bytes) {
  std::vector<int> displacements;
  for (std::size_t i = 0; i < blocks.offsets.size(); ++i) {
    const std::int64_t extent = in_bytes ? 1 : blocks.types.front()->extent_bytes();
    displacements.push_back(extent != 0 ? static_cast<int>(blocks.offsets[i] / extent) : 0);
  }
  return displacements;
}

}  // namespace

CallSide::CallSide(const Blocks& blocks, bool in_bytes)
    : count(blocks.count), counts(blocks.counts), displacements(displacements_of(blocks, in_bytes)) {
  if (blocks.types.empty()) {
    return;
  }
  // MPI libraries hang if one side has a count of 0 and the other side has empty datatypes (tests/mpi_defects,
  // empty_entries). Blocks without data therefore have the count 0 on both sides.
  if (blocks.type(0).size_bytes() == 0) {
    count = 0;
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (blocks.type(static_cast<int>(i)).size_bytes() == 0) {
      counts[i] = 0;
    }
  }
  type = blocks.types.front()->type();
  for (const auto& entry : blocks.types) {
    types.push_back(entry->type());
  }
}

CallArguments::CallArguments(const CollectiveProblem& problem)
    : operation(problem.operation),
      root(problem.root),
      in_place(problem.in_place),
      op(problem.op),
      send(problem.send, operation == Operation::alltoallw),
      receive(problem.receive, operation == Operation::alltoallw) {
  if (problem.reduces()) {
    send.type = problem.send.type(0).handle();
  }
}

namespace {

/// The addresses of a call, with MPI_IN_PLACE if it applies.
struct Addresses {
  const void* send;
  void* receive;
};

Addresses addresses_of(const CallArguments& a, const FieldBuffers& arrays) {
  const bool scatters = a.operation == Operation::scatter || a.operation == Operation::scatterv;
  if (!a.in_place) {
    return {arrays.send, arrays.receive};
  }
  if (scatters) {
    return {arrays.send, MPI_IN_PLACE};
  }
  return {MPI_IN_PLACE, arrays.receive};
}

}  // namespace

void call(const CallArguments& a, const FieldBuffers& arrays, MPI_Comm comm, MPI_Request* request) {
  const auto [sbuf, rbuf] = addresses_of(a, arrays);
  const auto& [s, r] = std::tie(a.send, a.receive);
  // Calls the blocking or the nonblocking function with the same arguments.
  const auto mpi = [request](const char* name, auto* blocking, auto* nonblocking, auto... arguments) {
    mpi::check(request != nullptr ? nonblocking(arguments..., request) : blocking(arguments...), name);
  };
  switch (a.operation) {
    case Operation::barrier:
      return mpi("MPI_Barrier", &MPI_Barrier, &MPI_Ibarrier, comm);
    case Operation::bcast:
      return mpi("MPI_Bcast", &MPI_Bcast, &MPI_Ibcast, rbuf, r.count, r.type, a.root, comm);
    case Operation::gather:
      return mpi("MPI_Gather", &MPI_Gather, &MPI_Igather, sbuf, s.count, s.type, rbuf, r.count, r.type, a.root, comm);
    case Operation::gatherv:
      return mpi("MPI_Gatherv", &MPI_Gatherv, &MPI_Igatherv, sbuf, s.single(), s.type, rbuf, r.counts.data(),
                 r.displacements.data(), r.type, a.root, comm);
    case Operation::scatter:
      return mpi("MPI_Scatter", &MPI_Scatter, &MPI_Iscatter, sbuf, s.count, s.type, rbuf, r.count, r.type, a.root,
                 comm);
    case Operation::scatterv:
      return mpi("MPI_Scatterv", &MPI_Scatterv, &MPI_Iscatterv, sbuf, s.counts.data(), s.displacements.data(), s.type,
                 rbuf, r.single(), r.type, a.root, comm);
    case Operation::allgather:
      return mpi("MPI_Allgather", &MPI_Allgather, &MPI_Iallgather, sbuf, s.count, s.type, rbuf, r.count, r.type, comm);
    case Operation::allgatherv:
      return mpi("MPI_Allgatherv", &MPI_Allgatherv, &MPI_Iallgatherv, sbuf, s.single(), s.type, rbuf, r.counts.data(),
                 r.displacements.data(), r.type, comm);
    case Operation::alltoall:
      return mpi("MPI_Alltoall", &MPI_Alltoall, &MPI_Ialltoall, sbuf, s.count, s.type, rbuf, r.count, r.type, comm);
    case Operation::alltoallv:
      return mpi("MPI_Alltoallv", &MPI_Alltoallv, &MPI_Ialltoallv, sbuf, s.counts.data(), s.displacements.data(),
                 s.type, rbuf, r.counts.data(), r.displacements.data(), r.type, comm);
    case Operation::alltoallw:
      return mpi("MPI_Alltoallw", &MPI_Alltoallw, &MPI_Ialltoallw, sbuf, s.counts.data(), s.displacements.data(),
                 s.types.data(), rbuf, r.counts.data(), r.displacements.data(), r.types.data(), comm);
    case Operation::reduce:
      return mpi("MPI_Reduce", &MPI_Reduce, &MPI_Ireduce, sbuf, rbuf, s.count, s.type, a.op, a.root, comm);
    case Operation::allreduce:
      return mpi("MPI_Allreduce", &MPI_Allreduce, &MPI_Iallreduce, sbuf, rbuf, s.count, s.type, a.op, comm);
    case Operation::reduce_scatter_block:
      return mpi("MPI_Reduce_scatter_block", &MPI_Reduce_scatter_block, &MPI_Ireduce_scatter_block, sbuf, rbuf, s.count,
                 s.type, a.op, comm);
    case Operation::reduce_scatter:
      return mpi("MPI_Reduce_scatter", &MPI_Reduce_scatter, &MPI_Ireduce_scatter, sbuf, rbuf, s.counts.data(), s.type,
                 a.op, comm);
    case Operation::scan:
      return mpi("MPI_Scan", &MPI_Scan, &MPI_Iscan, sbuf, rbuf, s.count, s.type, a.op, comm);
    case Operation::exscan:
      return mpi("MPI_Exscan", &MPI_Exscan, &MPI_Iexscan, sbuf, rbuf, s.count, s.type, a.op, comm);
  }
}

}  // namespace adcl::codelets
