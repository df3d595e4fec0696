/// \file key.hpp
/// The key of a search: only values that MPI guarantees to be equal on all ranks of a correct program.
#pragma once

#include <mpi.h>

#include <compare>
#include <cstdint>
#include <optional>

#include "interpose/collective_call.hpp"

namespace adcl::interpose {

/// Numbers that a reduction combines. Datatypes of the same kind and size are interchangeable.
enum class NumberKind : std::uint8_t { none, signed_integer, unsigned_integer, floating_point };

/// A predefined reduction of numbers of one kind and size.
struct Reduction {
  NumberKind kind = NumberKind::none;
  std::uint8_t bytes = 0;  ///< size of one number
  std::uint8_t op = 0;     ///< index among the predefined operations

  auto operator<=>(const Reduction&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 finds a 0 here
};

struct Key {
  Operation operation = Operation::barrier;
  int root = 0;
  Reduction reduction;
  std::int64_t bytes = 0;  ///< size of a block's type signature; 0: blocks may differ between ranks and calls
  bool neighborhood = false;

  auto operator<=>(const Key&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 finds a 0 here
};

/// Size and layout of a datatype.
struct TypeShape {
  std::int64_t bytes = 0;  ///< size of the type signature
  std::int64_t extent = 0;
  bool named = false;  ///< predefined: its handle is never reused for another datatype
  bool dense = false;  ///< same memory layout as packed data: the basic elements in order, without gaps
};

/// Local. Empty if MPI returns an error.
std::optional<TypeShape> shape_of(MPI_Datatype type);

/// The reduction of a call; empty if it is not a predefined operation on numbers.
std::optional<Reduction> reduction_of(MPI_Datatype type, MPI_Op op);
/// The datatype and the operation that represent all equivalent datatypes and operations.
MPI_Datatype type_of(const Reduction& reduction);
MPI_Op op_of(const Reduction& reduction);

/// Position of a process in a communicator.
struct Place {
  int rank = 0;
  int size = 1;
};

/// Numbers of blocks that this rank sends and receives.
struct BlockNumbers {
  int sent = 0;
  int received = 0;
};
/// The numbers for an operation on all ranks of a communicator.
BlockNumbers block_numbers(const Key& key, Place place);

/// Clears the arguments of \p call that are not significant on this rank. MPI_IN_PLACE has no count and no datatype.
CollectiveCall significant(CollectiveCall call, Place place);

/// Key of a call with significant arguments. Empty if the call is passed through, because the arguments are invalid,
/// the number of bytes is 0 or too large, or the reduction is not eligible.
std::optional<Key> key_of(const CollectiveCall& call, Place place);

}  // namespace adcl::interpose
