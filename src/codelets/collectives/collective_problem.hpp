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

/// Where the data of an operation lie. The application's arrays have the addresses that a start brings; scratch is
/// memory of the plan's own.
enum class Place { send, receive, scratch };

/// A run of entries in memory: `count` of `type` one after the other, from byte `offset` on. Without a type it is
/// packed: `count` bytes.
struct Piece {
  Place place = Place::scratch;
  const mpi::Element* type = nullptr;
  std::int64_t offset = 0;
  std::int64_t count = 0;

  [[nodiscard]] std::int64_t bytes() const noexcept { return type != nullptr ? count * type->size_bytes() : count; }
  /// \p entries of it, behind the first \p skipped ones.
  [[nodiscard]] Piece part(std::int64_t skipped, std::int64_t entries) const noexcept {
    return {place, type, offset + skipped * (type != nullptr ? type->extent_bytes() : 1), entries};
  }
};

/// What a rank sends, or receives: one block for each rank, or one in all.
struct Blocks {
  std::vector<std::shared_ptr<const mpi::Element>> types;  ///< one, or one per block
  int count = 0;                                           ///< entries of each block, where `counts` is empty
  std::vector<int> counts;                                 ///< of each block, or empty
  std::vector<std::int64_t> offsets;                       ///< bytes, of each block, where there are counts

  [[nodiscard]] bool uniform() const noexcept { return counts.empty(); }
  [[nodiscard]] const mpi::Element& type(int block) const {
    return *types[types.size() == 1 ? 0 : static_cast<std::size_t>(block)];
  }
  [[nodiscard]] Piece block(Place place, int block) const;
  [[nodiscard]] SequenceHash signature(int block) const;
  /// MPI_PACKED is one of the datatypes.
  [[nodiscard]] bool packed() const;
};

/// How the data of two ranks are compared. MPI_PACKED matches every datatype: only the number of bytes is compared
/// then.
enum class Matching { by_type, by_bytes };

/// The problem of the collectives' function sets.
class CollectiveProblem final : public Problem {
 public:
  explicit CollectiveProblem(const Machine* on) : Problem(on), machine(on) {}

  [[nodiscard]] bool depends_on_order() const override;
  [[nodiscard]] bool runs_ahead() const override;
  [[nodiscard]] Statement state() const override;
  void settle(const Settlement& settlement) override;
  void verify(mpi::Context& context, const std::array<std::uint64_t, 2>& balances) const override;

  /// Takes part with a root.
  [[nodiscard]] bool rooted() const noexcept;
  /// Combines values.
  [[nodiscard]] bool reduces() const noexcept { return operation >= Operation::reduce; }
  [[nodiscard]] bool is_root() const noexcept { return rank == root; }
  /// Bytes of this rank's largest block.
  [[nodiscard]] std::int64_t block_bytes() const;

  Operation operation = Operation::barrier;
  int rank = 0;
  int size = 1;
  int root = 0;
  bool in_place = false;  ///< what this rank contributes is in its receive array, or what it gets stays where it is
  Blocks send;            ///< what reductions combine, also in place
  Blocks receive;         ///< of a broadcast: what the root sends and all others receive
  MPI_Op op = MPI_OP_NULL;
  bool commutative = true;
  const Machine* machine;
  bool alike = true;  ///< all ranks cut their blocks into the same entries: blocks can travel in parts. Of an
                      ///< allgatherv also: their entries have the same extent
  /// A rank passes MPI_PACKED where another one passes another datatype. Before settle(): this rank does, to itself.
  bool packed_against_typed = false;
  int tag = 0;  ///< of all messages

 protected:
  [[nodiscard]] const char* pattern() const override { return name_of(operation); }
  void identify(Hash& hash) const override;
  void tell(Features& features) const override;

 private:
  /// What all ranks must have in common.
  [[nodiscard]] std::uint64_t common(Matching by) const;
  /// What this rank sends less what it receives.
  [[nodiscard]] std::uint64_t balance(Matching by) const;
};

/// The problem of a row of a collective's table.
inline const CollectiveProblem& collective(const Problem& problem) {
  return static_cast<const CollectiveProblem&>(problem);
}

/// What people call an operation of MPI: "MPI_SUM", "an operation of the application's own".
std::string name_of(MPI_Op op);

}  // namespace adcl::codelets
