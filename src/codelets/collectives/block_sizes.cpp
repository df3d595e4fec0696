#include "codelets/collectives/block_sizes.hpp"

#include "mpi/check.hpp"
#include "mpi/together.hpp"

namespace adcl::codelets {

std::int64_t own_block_bytes(const CollectiveProblem& problem) {
  if (problem.operation == Operation::gatherv) {
    return problem.in_place ? problem.receive.block(Place::receive, problem.rank).bytes()
                            : problem.send.block(Place::send, 0).bytes();
  }
  return problem.in_place ? problem.send.block(Place::send, problem.rank).bytes()
                          : problem.receive.block(Place::receive, 0).bytes();
}

BlockSizes gather_block_sizes(const CollectiveProblem& problem, MPI_Comm comm) {
  BlockSizes sizes;
  mpi::run_collectively(comm, [&] { sizes.resize(static_cast<std::size_t>(problem.size)); });
  mpi::run_collectively(comm, [&] {
    const std::int64_t own = own_block_bytes(problem);
    // NOLINTNEXTLINE(mpi-type-mismatch): the check does not know which type std::int64_t is
    mpi::check(MPI_Allgather(&own, 1, MPI_INT64_T, sizes.data(), 1, MPI_INT64_T, comm), "MPI_Allgather");
  });
  return sizes;
}

}  // namespace adcl::codelets
