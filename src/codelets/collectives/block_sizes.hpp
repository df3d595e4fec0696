/// \file block_sizes.hpp
/// Rows of codelets that need the lengths of all blocks of a gatherv or a scatterv, which only the root knows.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "codelets/collectives/rows.hpp"

namespace adcl::codelets {

/// Packed bytes of each rank's block.
using BlockSizes = std::vector<std::int64_t>;

/// Bytes of this rank's own block of a gatherv or a scatterv.
std::int64_t own_block_bytes(const CollectiveProblem& problem);
/// Gathers the sizes from all ranks. Collective over \p comm; throws the same error on all ranks.
BlockSizes gather_block_sizes(const CollectiveProblem& problem, MPI_Comm comm);

/// A row for the schedule of `void write(Script&, const BlockSizes&)`.
template <auto write, Needs needs>
Codelet sized_row(const char* name, const Attributes& attributes, const char* source, const char* expectation) {
  return {.name = name,
          .attributes = attributes.values(),
          .capabilities = {.nonblocking = true, .collective_plan = true, .touches_data = true},
          .requirements = requirements_of(needs),
          .source = source,
          .algorithm = {[](const Problem& problem) { return objection(collective(problem), needs); },
                        [](const Problem& problem) {
                          // Estimate: all blocks are as long as this rank's.
                          const CollectiveProblem& what = collective(problem);
                          Script script(what);
                          write(script, BlockSizes(static_cast<std::size_t>(what.size), own_block_bytes(what)));
                          script.finish();
                          return script.bytes();
                        },
                        [](const Problem& problem, mpi::Context& context, const Buffers& /*buffers*/) -> PlanPointer {
                          const BlockSizes sizes = gather_block_sizes(collective(problem), context.comm());
                          Script script(collective(problem));
                          write(script, sizes);
                          script.finish();
                          return std::make_unique<SchedulePlan>(script, context);
                        }},
          .expectation = expectation};
}

/// Offsets of the blocks of a subtree in packed memory, one after the other; nodes are counted from the root.
class PackedSubtree {
 public:
  /// The subtree of \p nodes nodes that begins at \p first.
  PackedSubtree(const Script& script, const BlockSizes& sizes, int first, int nodes) : first_(first) {
    begins_.push_back(0);
    for (int node = first; node < first + nodes; ++node) {
      begins_.push_back(begins_.back() + sizes[static_cast<std::size_t>(script.rank_at(node))]);
    }
  }
  [[nodiscard]] std::int64_t bytes() const noexcept { return begins_.back(); }
  /// The blocks of \p nodes nodes, beginning at \p node, in \p memory.
  [[nodiscard]] Piece blocks(const Piece& memory, int node, int nodes) const {
    const std::int64_t begin = begins_[static_cast<std::size_t>(node - first_)];
    return memory.part(begin,
                       begins_[static_cast<std::size_t>(node - first_) + static_cast<std::size_t>(nodes)] - begin);
  }

 private:
  int first_;
  std::vector<std::int64_t> begins_;
};

namespace source {
inline constexpr auto irregular = "Traeff, Hierarchical gather/scatter with graceful degradation, IPDPS 2004";
}

}  // namespace adcl::codelets
