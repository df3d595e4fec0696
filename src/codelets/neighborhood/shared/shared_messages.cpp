#include "codelets/neighborhood/shared/shared_messages.hpp"

namespace adcl::codelets {

std::optional<std::string> without_shared_memory(const HaloProblem& problem) {
  const int size = problem.neighborhood.size;
  if (problem.nodes != nullptr && problem.nodes->count == size && size > 1) {
    return "every process is on a node of its own";
  }
  return PackedRegion::applicable(problem);
}

std::size_t shared_memory_bytes(const HaloProblem& problem) {
  // All that this process has in shared memory counts: there is less of it than of other memory.
  std::size_t total = PackedMessages::bytes(problem) + mpi::NodeMemory::held_bytes();
  for (const Transfer& transfer : problem.sends) {
    total += SharedLink::memory_bytes(static_cast<std::size_t>(bytes_of(problem, transfer, Way::out)));
  }
  return total;
}

}  // namespace adcl::codelets
