/// \file collective_model.hpp
/// A random collective operation and its expected result: each rank's contribution, its memory layout on each rank, and
/// the contents of every rank's receive array afterwards.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "codelets/collectives/collective_problem.hpp"
#include "data/parts.hpp"
#include "mpi/datatype.hpp"
#include "support/random.hpp"

namespace adcl::test {

/// Positions of integers in an entry of a datatype.
struct EntryKind {
  std::vector<int> offsets;  ///< offsets of one entry's integers, in bytes
  int extent;

  [[nodiscard]] int ints() const { return static_cast<int>(offsets.size()); }
  /// Byte offset of integer \p i in a sequence of entries.
  [[nodiscard]] std::int64_t place(std::int64_t i) const {
    return i / ints() * extent + offsets[static_cast<std::size_t>(i % ints())];
  }
  [[nodiscard]] mpi::Datatype make() const;
};

/// All kinds: one integer, several integers, with gaps, and with a gap in front.
const std::vector<EntryKind>& entry_kinds();

/// Integers that one rank has for another rank, or that all ranks share.
using Values = std::vector<std::uint32_t>;

/// Reductions of integers: operations of MPI, and operations of the application; the last operation is not commutative
/// and takes pairs of integers.
enum Reduction { sum, maximum, exclusive_or, user_sum, user_chain, reductions };

/// Returns the MPI operation of a reduction. From this call on, operations of the application take entries of \p kind.
MPI_Op operation_of(int reduction, const EntryKind& kind);
/// Stores the result of the operation in \p right. Pure.
void reduce_into(int reduction, const Values& left, Values& right);

/// Frees the operations that models have created. Local. \pre no model is in use
void free_operations();

/// One operation on all ranks. All ranks make the same model from a seed.
class CollectiveModel {
 public:
  /// \p is_long: blocks of more than 32 KiB, if all ranks have equal blocks for each other.
  CollectiveModel(codelets::Operation operation, int ranks, std::uint64_t seed, bool is_long = false);

  [[nodiscard]] codelets::Operation operation() const { return operation_; }
  [[nodiscard]] int root() const { return root_; }
  [[nodiscard]] std::string describe() const;

  /// This rank's request, without its memory. Local.
  [[nodiscard]] data::Parts parts(int rank, std::vector<std::byte>& send, std::vector<std::byte>& receive,
                                  const std::shared_ptr<data::Topology>& topology) const;
  /// Contents of \p rank's arrays before the operation of a round, and after it.
  void fill(int rank, int round, std::vector<std::byte>& send, std::vector<std::byte>& receive) const;
  void complete(int rank, int round, std::vector<std::byte>& receive) const;

 private:
  /// Number of bytes before and after an array that must not change.
  static constexpr std::int64_t guard_bytes = 64;

  /// Position and datatype of a block of integers in an array.
  struct Block {
    int ints = 0;
    std::int64_t offset = 0;  ///< bytes from the beginning of the array
    EntryKind kind{{0}, 4};
    [[nodiscard]] int entries() const { return ints / kind.ints(); }
  };
  /// Data that a rank sends or receives: one block for each rank, or one in all.
  struct Side {
    std::vector<Block> blocks;
    [[nodiscard]] std::size_t bytes() const;
  };

  void draw_amounts(Random& random, bool is_long);
  void draw_sides(Random& random);
  [[nodiscard]] Side draw_side(Random& random, const std::vector<int>& ints, bool lists) const;
  [[nodiscard]] bool is(std::initializer_list<codelets::Operation> operations) const;
  [[nodiscard]] bool reduces() const { return operation_ >= codelets::Operation::reduce; }
  [[nodiscard]] bool rooted() const;
  /// True if the numbers of integers differ between ranks.
  [[nodiscard]] bool lists() const;
  [[nodiscard]] bool receives(int rank) const;
  [[nodiscard]] bool sends(int rank) const;
  [[nodiscard]] bool in_place_on(int rank) const { return in_place_ && (!rooted() || rank == root_); }
  /// The integers that \p from contributes for \p to.
  [[nodiscard]] Values contribution(int from, int to, int round) const;
  /// Combined contributions of the ranks \p first to \p last - 1 for \p to.
  [[nodiscard]] Values combined(int first, int last, int to, int round) const;
  static void put(std::vector<std::byte>& array, const Block& block, const Values& values);
  /// Block \p block of the data that \p rank sends.
  [[nodiscard]] Values sent(int rank, int block, int round) const;
  [[nodiscard]] std::shared_ptr<data::Vmap> vmap(const Side& side, bool is_send) const;
  [[nodiscard]] bool lists_on(bool is_send) const;
  /// True if the MPI library supports datatypes with holes.
  static bool mpi_has_holes();

  codelets::Operation operation_;
  int ranks_;
  int root_ = 0;
  bool in_place_ = false;
  int reduction_ = 0;
  std::vector<std::vector<int>> ints_;  ///< from rank to rank
  std::vector<Side> sends_;             ///< by rank
  std::vector<Side> receives_;
  mutable std::vector<mpi::Datatype> types_;  ///< datatypes of the vmaps
};

}  // namespace adcl::test
