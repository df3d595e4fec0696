/// \file call_arguments.hpp
/// The arguments of the MPI library's own collective calls.
#pragma once

#include <mpi.h>

#include <vector>

#include "codelets/collectives/collective_problem.hpp"

namespace adcl::codelets {

/// One side's counts, displacements and datatypes as MPI wants them.
struct CallSide {
  int count = 0;
  MPI_Datatype type = MPI_BYTE;
  std::vector<int> counts;
  std::vector<int> displacements;  ///< in entries, or bytes where there are types
  std::vector<MPI_Datatype> types;

  CallSide() = default;
  /// \p in_bytes: displacements are, as MPI_Alltoallw wants them.
  CallSide(const Blocks& blocks, bool in_bytes);
  /// Entries of the side that has one block, of an operation with different counts.
  [[nodiscard]] int single() const noexcept { return counts.empty() ? count : counts.front(); }
};

/// All arguments but the addresses. Lasts as long as the calls that use it.
struct CallArguments {
  explicit CallArguments(const CollectiveProblem& problem);

  Operation operation;
  int root;
  bool in_place;
  MPI_Op op;
  CallSide send;
  CallSide receive;
};

/// Calls the MPI library with the arguments \p a. \p request: that of the non-blocking call; null: the blocking one.
/// Throws Error(mpi).
void call(const CallArguments& a, const FieldBuffers& arrays, MPI_Comm comm, MPI_Request* request);

}  // namespace adcl::codelets
