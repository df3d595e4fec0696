#include "codelets/collectives/call_defects.hpp"

#include <bit>

namespace adcl::codelets {
namespace {

#ifdef SMPI_H
constexpr bool in_smpi = true;
#else
constexpr bool in_smpi = false;
#endif

bool is_mpich(const CollectiveProblem& problem) {
  return problem.machine->library == "MPICH" || problem.machine->library.starts_with("Intel");
}

bool scatters(const CollectiveProblem& problem) {
  return problem.operation == Operation::reduce_scatter || problem.operation == Operation::reduce_scatter_block;
}

}  // namespace

std::optional<std::string> defect_of_call(const CollectiveProblem& problem) {
  // Seen with a plain program of MPICH 4.0.2: a crash from 2049 bytes on. Its relatives are not trusted either.
  constexpr std::int64_t whole_bytes = 2048;
  if (problem.operation == Operation::reduce && is_mpich(problem) && problem.in_place && problem.root != 0 &&
      problem.block_bytes() > whole_bytes) {
    return "MPICH (4.0) crashes in MPI_Reduce in place at a root that is not rank 0";
  }
  // Seen with plain programs of MPICH 4 and 5 and Intel MPI: bytes beside the array are written over.
  if (scatters(problem) && is_mpich(problem) && !problem.commutative && !problem.send.type(0).dense() &&
      std::has_single_bit(static_cast<unsigned>(problem.size))) {
    return "MPICH (4 and 5) writes beside the array in MPI_Reduce_scatter and MPI_Reduce_scatter_block of a datatype "
           "with gaps and an operation that is not commutative";
  }
  // Seen with a plain program of 2021.18, on 2 and 3 ranks, from one entry on: gaps of the receive array are written.
  if ((problem.operation == Operation::reduce || problem.operation == Operation::allreduce) &&
      problem.machine->library.starts_with("Intel") && problem.commutative && !problem.send.type(0).dense()) {
    return "Intel MPI (2021.18) writes into the gaps of the receive array in MPI_Reduce and MPI_Allreduce of a "
           "datatype with gaps and an operation of the application's own";
  }
  // Seen with a plain program of 2021.18, on 2 ranks from 606 integers on and on 3 ranks with 16 and 100: what is
  // gathered is wrong, and memory beside it is written.
  if (problem.operation == Operation::allgather && problem.machine->library.starts_with("Intel") && !problem.in_place &&
      problem.send.count != problem.receive.count) {
    return "Intel MPI (2021.18) goes wrong in MPI_Allgather where a process sends other entries than it receives";
  }
  // Seen with 4.1.4: ranks wait for ever, or get wrong data; 5 is not trusted either.
  if (problem.operation == Operation::allgatherv && problem.machine->library == "Open MPI" && !problem.alike) {
    return "Open MPI (4.1) goes wrong where ranks call MPI_Allgatherv with different datatypes";
  }
  if (in_smpi && (problem.operation == Operation::scan || problem.operation == Operation::exscan) &&
      !problem.commutative) {
    return "SimGrid SMPI (3.32) does not keep the order of the ranks in MPI_Scan and MPI_Exscan";
  }
  return std::nullopt;
}

std::optional<std::string> defect_of_nonblocking_call(const CollectiveProblem& problem) {
  if (in_smpi) {
    return "non-blocking collective calls of SimGrid SMPI (3.32) failed the conformance tests";
  }
  // Seen with 4.1.4: wrong blocks, and later non-blocking calls on the communicator that never complete.
  if ((problem.operation == Operation::alltoallv || problem.operation == Operation::alltoallw) && problem.in_place &&
      problem.machine->library == "Open MPI") {
    return "MPI_Ialltoallv and MPI_Ialltoallw of Open MPI (4.1) go wrong in place";
  }
  // Truncated messages where the datatypes of a pair of ranks lie differently in memory.
  if (problem.operation == Operation::alltoallw && problem.in_place && is_mpich(problem)) {
    return "MPI_Ialltoallw of MPICH (4.0) goes wrong in place";
  }
  return defect_of_call(problem);
}

}  // namespace adcl::codelets
