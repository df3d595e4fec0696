/// \file collective_problem.hpp
/// A collective operation from the point of view of one rank: the operations of thesis Table 4.1, and the barrier.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/machine.hpp"
#include "core/problem.hpp"
#include "mpi/datatype.hpp"

namespace adcl::codelets {

enum class Operation {
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  reduce,
  allreduce,
  reduce_scatter_block,
  reduce_scatter,
  scan,
  exscan
};

/// Name of the function set, such as "allreduce".
const char* name_of(Operation operation);

/// Location of data. The application passes the addresses of its arrays at each start; scratch is memory of the plan.
enum class Place { send, receive, scratch };

/// A run of entries in memory: `count` consecutive entries of `type` from byte `offset` on. Without a type, it is
/// `count` packed bytes.
struct Piece {
  Place place = Place::scratch;
  const mpi::Element* type = nullptr;
  std::int64_t offset = 0;
  std::int64_t count = 0;

  [[nodiscard]] std::int64_t bytes() const noexcept { return type != nullptr ? count * type->size_bytes() : count; }
  /// Returns \p entries entries after the first \p skipped entries.
  [[nodiscard]] Piece part(std::int64_t skipped, std::int64_t entries) const noexcept {
    return {place, type, offset + skipped * (type != nullptr ? type->extent_bytes() : 1), entries};
  }
};

/// Data that a rank sends or receives: one block for each rank, or a single block.
struct Blocks {
  std::vector<std::shared_ptr<const mpi::Element>> types;  ///< one, or one per block
  int count = 0;                                           ///< entries of each block, if `counts` is empty
  std::vector<int> counts;                                 ///< entries of each block, or empty
  std::vector<std::int64_t> offsets;                       ///< offset of each block in bytes, if there are counts

  [[nodiscard]] bool uniform() const noexcept { return counts.empty(); }
  [[nodiscard]] const mpi::Element& type(int block) const {
    return *types[types.size() == 1 ? 0 : static_cast<std::size_t>(block)];
  }
  [[nodiscard]] Piece block(Place place, int block) const;
  [[nodiscard]] SequenceHash signature(int block) const;
  /// True if MPI_PACKED is one of the datatypes.
  [[nodiscard]] bool packed() const;
};

/// How the data of two ranks are compared. MPI_PACKED matches every datatype, so only the number of bytes is compared.
enum class Matching { by_type, by_bytes };

/// The problem of the function sets of collective operations.
class CollectiveProblem final : public Problem {
 public:
  explicit CollectiveProblem(const Machine* on) : Problem(on), machine(on) {}

  [[nodiscard]] bool depends_on_order() const override;
  [[nodiscard]] bool runs_ahead() const override;
  [[nodiscard]] Statement state() const override;
  void settle(const Settlement& settlement) override;
  void verify(mpi::Context& context, const std::array<std::uint64_t, 2>& balances) const override;

  /// True if the operation has a root.
  [[nodiscard]] bool rooted() const noexcept;
  /// True if the operation combines values.
  [[nodiscard]] bool reduces() const noexcept { return operation >= Operation::reduce; }
  [[nodiscard]] bool is_root() const noexcept { return rank == root; }
  /// Whether only the bytes of the blocks matter, not the datatypes: the operation moves small entries without gaps.
  [[nodiscard]] bool moves_bytes() const;
  /// Bytes of this rank's largest block.
  [[nodiscard]] std::int64_t block_bytes() const;

  Operation operation = Operation::barrier;
  int rank = 0;
  int size = 1;
  int root = 0;
  bool in_place = false;  ///< this rank's input is in its receive array, or its output stays in place
  Blocks send;            ///< for reductions: the input, also in place
  Blocks receive;         ///< for a broadcast: the data that the root sends and the other ranks receive
  MPI_Op op = MPI_OP_NULL;
  bool commutative = true;
  const Machine* machine;
  bool alike = true;  ///< all ranks divide their blocks into the same entries, so that blocks can be sent in parts;
                      ///< for an allgatherv, the entries also have the same extent
  /// A rank passes MPI_PACKED and another rank passes another datatype. Before settle(): whether this rank does so in
  /// its message to itself.
  bool packed_against_typed = false;
  int tag = 0;  ///< the tag of all messages

 protected:
  [[nodiscard]] const char* pattern() const override { return name_of(operation); }
  void identify(Hash& hash) const override;
  void add_features(Features& features) const override;

 private:
  /// Hash of the properties that must be equal on all ranks.
  [[nodiscard]] std::uint64_t common(Matching by) const;
  /// Hash of the data that this rank sends minus the data that it receives.
  [[nodiscard]] std::uint64_t balance(Matching by) const;
};

/// Converts the problem of a collective's codelet.
inline const CollectiveProblem& collective(const Problem& problem) {
  return static_cast<const CollectiveProblem&>(problem);
}

/// Name of an MPI operation, such as "MPI_SUM"; all user-defined operations have the same name. Identities of stored
/// problems contain it, so a change of a name invalidates stored results.
std::string name_of(MPI_Op op);

}  // namespace adcl::codelets
