/// \file call_arguments.hpp
/// Arguments of the MPI library's own collective calls.
#pragma once

#include <mpi.h>

#include <vector>

#include "codelets/collectives/collective_problem.hpp"

namespace adcl::codelets {

/// Counts, displacements and datatypes of one side, in the form that MPI requires.
struct CallSide {
  int count = 0;
  MPI_Datatype type = MPI_BYTE;
  std::vector<int> counts;
  std::vector<int> displacements;  ///< in entries; in bytes if there are several types
  std::vector<MPI_Datatype> types;

  CallSide() = default;
  /// \p in_bytes: displacements are in bytes, as MPI_Alltoallw requires.
  CallSide(const Blocks& blocks, bool in_bytes);
  /// Entries of the side with a single block, in an operation with different counts.
  [[nodiscard]] int single() const noexcept { return counts.empty() ? count : counts.front(); }
};

/// All arguments except the addresses. Must outlive the calls that use it.
struct CallArguments {
  explicit CallArguments(const CollectiveProblem& problem);

  Operation operation;
  int root;
  bool in_place;
  MPI_Op op;
  CallSide send;
  CallSide receive;
};

/// Calls the MPI library with the arguments \p a. \p request receives the request of the nonblocking call; null selects
/// the blocking call. Throws Error(mpi).
void call(const CallArguments& a, const FieldBuffers& arrays, MPI_Comm comm, MPI_Request* request);

}  // namespace adcl::codelets
